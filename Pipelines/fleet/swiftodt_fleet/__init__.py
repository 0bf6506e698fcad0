"""Many files, many cameras, many machines: what Pipelines/fleet/run and Pipelines/fleet/watch do. Ray places the work."""
