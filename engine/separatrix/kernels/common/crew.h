// The threads that work for all loops of the process; compiled once, in library.cpp.
#pragma once
#include "common/types.h"

#if !ON_GPU
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

// Threads that sleep until there is work. The caller of a loop works too and waits only for threads
// that have joined it, so a loop ends soon on a busy machine, and also if threads cannot be started.
class Crew {
public:
  // It is never destroyed, because its threads sleep until the process ends.
  static Crew& of_process() {
    alignas(Crew) static unsigned char room[sizeof(Crew)];
    static Crew* const crew = new (room) Crew;
    return *crew;
  }

  void run(Team& team) {
    {
      const std::lock_guard<std::mutex> alone(starting);
      std::unique_lock<std::mutex> held(lock);
      if (n_threads - n_busy < team.n_threads - 1) start(team.n_threads - 1, held);
      team.next = first;
      first = &team;
    }
    wake_two();
    team.work(team.body, 0);
    std::unique_lock<std::mutex> held(lock);
    Team** link = &first;
    while (*link != &team) link = &(*link)->next;
    *link = team.next;
    ended.wait(held, [&] { return team.n_working == 0; });
  }

private:
  // Starts threads until n are idle. If there is no room for all, half of the new ones leave, since
  // stacks and heaps of threads stay allocated, and the call and its caller need memory, too.
  void start(int n, std::unique_lock<std::mutex>& held) {
    const int had = n_threads;
    constexpr size_t HELD_BACK = size_t(64) << 20;
    const std::unique_ptr<char[]> held_back(new (std::nothrow) char[HELD_BACK]);
    bool is_room = held_back != nullptr;
    try {
      while (is_room && had + n_starting - n_busy < n) {
        std::thread([this] { serve(); }).detach();
        ++n_starting;
      }
    } catch (const std::system_error&) {  // no more threads
      is_room = false;
    } catch (const std::bad_alloc&) {
      is_room = false;
    }
    ended.wait(held, [&] { return n_starting == 0; });
    if (is_room || n_threads <= had) return;
    n_leaving += (n_threads - had + 1) / 2;
    called.notify_all();
    ended.wait(held, [&] { return n_leaving == 0; });
  }

  // Wakes idle threads, each of which wakes more if there is work left.
  void wake_two() {
    called.notify_one();
    called.notify_one();
  }

  Team* with_vacancy() const {
    Team* team = first;
    while (team && team->n_joined == team->n_threads) team = team->next;
    return team;
  }

  void serve() {
    void* const heap = malloc(1 << 12);  // the thread-local objects below end the process if there is none
    free(heap);
    if (heap) {
      ready_to_throw();
      const Byte* const volatile touched = stop_flag;
      (void)touched;
    }
    std::unique_lock<std::mutex> held(lock);
    --n_starting;
    n_threads += heap != nullptr;
    ended.notify_all();
    while (heap) {
      if (n_leaving > 0) {
        --n_threads;
        if (--n_leaving == 0) ended.notify_all();
        return;
      }
      Team* const team = with_vacancy();
      if (!team) {
        called.wait(held);
        continue;
      }
      const int thread = team->n_joined++;
      ++team->n_working;
      ++n_busy;
      const bool is_more = with_vacancy() != nullptr;
      held.unlock();
      if (is_more) wake_two();
      team->work(team->body, thread);
      held.lock();
      --n_busy;
      if (--team->n_working == 0) ended.notify_all();
    }
  }

  std::mutex starting, lock;  // locked in this order
  std::condition_variable called, ended;
  Team* first = nullptr;
  int n_threads = 0, n_starting = 0, n_leaving = 0, n_busy = 0;
};

void run_team(Team* team) { Crew::of_process().run(*team); }
#endif
