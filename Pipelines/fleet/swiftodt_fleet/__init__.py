"""Pipelines/fleet/run: analyses many files on one or several machines. Ray distributes the work."""
