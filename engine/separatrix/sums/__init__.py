"""Block-sparse reductions between point sets, and the densities that come of them."""
