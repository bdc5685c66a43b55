"""Looks at the live cluster: what exists, whose it is, and what an update would do to it. Nothing here renders."""
