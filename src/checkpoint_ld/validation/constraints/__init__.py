"""What SHACL Core cannot say: the functions behind the constraint components of `shapes/karenina/components.ttl`."""
