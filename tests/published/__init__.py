"""The shapes as others run them."""
