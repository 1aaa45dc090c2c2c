"""Components of the sublevel sets of images: the function `lower_star_img` of ripser.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError, wrong_shape
from .barcodes import rips_barcodes
from .correlations import real_array


def lower_star_img(img: Any) -> np.ndarray:
    """Compute the connected components of the sublevel sets of an image with 8 neighbors per pixel.

    Parameters
    ----------
    img : (m, n) array_like of real numbers
        The image. Components that only infinite pixels connect never merge; NaN is rejected.

    Returns
    -------
    (k, 2) float64 array
        Births and deaths of the components, sorted by birth and death; at least one death of an
        image with pixels is infinity.

    Raises
    ------
    InputError
        If the image is invalid; a subclass of ValueError.

    Notes
    -----
    O(mn log(mn)) time. Values are float64; ripser.py rounds them to float32 and ignores edges at
    NaN. ``separatrix.persistence_diagram`` has all dimensions of an image.

    Examples
    --------
    >>> from separatrix.ripser import lower_star_img
    >>> lower_star_img([[0, 3, 1], [4, 5, 3]])
    array([[ 0., inf],
           [ 1.,  3.]])
    """
    image = real_array(img, "img")
    if image.ndim != 2:
        raise wrong_shape("img", "an array of shape (m, n)", image)
    if not image.size:
        return np.empty((0, 2))
    values, ranks = np.unique(image.astype(np.float64), return_inverse=True)
    if np.isnan(values[-1]):
        raise InputError("img", "an image without NaN", np.nan)
    if image.size == 1:
        return np.array([[values[0], np.inf]])
    ranks, ids = ranks.reshape(image.shape), np.arange(image.size).reshape(image.shape)
    below, above = np.s_[:-1], np.s_[1:]
    neighbors = [
        (ids[below], ids[above]),
        (ids[:, below], ids[:, above]),
        (ids[below, below], ids[above, above]),
        (ids[below, above], ids[above, below]),
    ]
    i, j = (np.concatenate([pair[k].ravel() for pair in neighbors]) for k in range(2))
    births = ranks.ravel()  # ranks are exact, and never negative
    bars = rips_barcodes(
        sparse=(i, j, np.maximum(births[i], births[j]), image.size),
        weights=births,
        weight_power=np.inf,
        max_dimension=0,
    ).of_dimension(0)
    return np.append(values, np.inf)[np.minimum(bars, len(values)).astype(np.int64)]
