"""Pipelines/fleet/run: analyses many files, on one machine or on many. Ray distributes the work."""
