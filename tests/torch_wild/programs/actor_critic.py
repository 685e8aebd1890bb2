"""A rollout without gradients, then an update of an actor and of a critic by an optimizer each."""
import json

import torch
from torch import nn

torch.manual_seed(0)
actor, critic = nn.Linear(4, 2), nn.Linear(4, 1)
of_actor, of_critic = torch.optim.Adam(actor.parameters()), torch.optim.Adam(critic.parameters())
state = torch.zeros(4)
counts = {"train": 0}
for episode in range(20):
    states, actions, rewards = [], [], []
    for _ in range(5 + 20 * (episode % 10 == 9)):
        with torch.no_grad():
            action = torch.distributions.Categorical(logits=actor(state)).sample()
        states.append(state)
        actions.append(action)
        rewards.append(float(action == 1))
        state = 0.9 * state + torch.randn(4)
    s, a, r = torch.stack(states), torch.stack(actions), torch.tensor(rewards)
    value = critic(s).squeeze(1)
    of_critic.zero_grad()
    (value - r).pow(2).mean().backward()
    of_critic.step()
    of_actor.zero_grad()
    loss = -(torch.distributions.Categorical(logits=actor(s)).log_prob(a) * (r - value.detach())).mean()
    loss.backward()
    of_actor.step()
    counts["train"] += 1
print(f"{loss.item():.6f}")
print(json.dumps(counts))
