"""Adapters to trainers, one module each. None of them imports its trainer."""
