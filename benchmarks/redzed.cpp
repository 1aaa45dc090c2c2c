// Interface for C of RedZeD (Kapulkin, Kershaw, 2026), for benchmarks/rips.py. FOLDER is a clone of
// github.com/nkershaw01/RedZeD:
//     g++ -O3 -march=native -std=c++20 -shared -fPIC -I FOLDER benchmarks/redzed.cpp -o redzed.so
//     REDZED=$PWD/redzed.so python benchmarks/rips.py --peers redzed
#include <redzed.cpp>

// Writes up to `capacity` bars as birth, death, and dimension; returns their number.
extern "C" long bars_of(const double* distances, int n, int top, double threshold, double* bars, long capacity) {
  long count = 0;
  const auto found = redzed_flat(std::vector<double>(distances, distances + (long)n * n), n, top, threshold);
  for (int d = 0; d <= top; ++d)
    for (const auto& [birth, death] : found[d])
      if (double* bar = bars + 3 * count++; count <= capacity) bar[0] = birth, bar[1] = death, bar[2] = d;
  return count;
}
