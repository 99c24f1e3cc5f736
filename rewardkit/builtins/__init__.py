"""The built-in rewards: cheap, pure Python, safe on hostile text."""
