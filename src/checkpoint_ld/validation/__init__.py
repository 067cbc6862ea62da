"""SHACL validation of checkpoints: rules, profiles, inference, constraints, findings, fixes, reports."""
