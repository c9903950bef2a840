"""nalm_core."""
