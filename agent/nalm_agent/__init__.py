"""nalm_agent."""
