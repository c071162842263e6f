"""Attacks: each looks for a text nearby with another label; none says anything about texts it does not find."""

from levcert.attacks.attack import ATTACKS, attack, attack_each

__all__ = ["ATTACKS", "attack", "attack_each"]
