"""The models of one team."""

from team_models import deploy

deploy()
