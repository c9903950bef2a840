"""nalm_server."""
