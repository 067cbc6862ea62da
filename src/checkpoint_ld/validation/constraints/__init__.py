"""What SHACL Core cannot express: the functions of the constraint components in `shapes/karenina/components.ttl`."""
