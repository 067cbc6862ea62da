"""What frameworks find of checkpoint-ld in their own terms; each module imports its framework."""
