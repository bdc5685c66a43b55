"""Looking at the live cluster: what is there, whose it is, and what an update would do to it. Nothing here renders."""
