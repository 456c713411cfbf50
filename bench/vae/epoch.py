"""The same epoch as a plain PyTorch program would run it. Usage: epoch.py cpu|cuda ROWS EPOCHS THREADS mlp|conv

Eager mode, data resident on the device, torch.optim.Adam, no host synchronisation within an epoch. Prints JSON with
the seconds of every epoch.
"""

import json
import sys
import time

import torch
from torch import nn
import torch.nn.functional as F


class Vae(nn.Module):
    def __init__(self, architecture, latent=2):
        super().__init__()
        front, inner, back = [], 784, []
        if architecture == "conv":
            inner = 64 * 7 * 7
            front = [
                nn.Unflatten(1, (1, 28, 28)), nn.Conv2d(1, 32, 4, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 4, 2, 1), nn.ReLU(),
                nn.Flatten()
            ]
            back = [
                nn.ReLU(), nn.Unflatten(1, (64, 7, 7)), nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.ReLU(),
                nn.ConvTranspose2d(32, 1, 4, 2, 1), nn.Flatten()
            ]
        self.encoder = nn.Sequential(
            *front, nn.Linear(inner, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 2 * latent)
        )
        self.decoder = nn.Sequential(
            nn.Linear(latent, 256), nn.ReLU(), nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, inner), *back
        )

    def loss(self, x):
        mean, log_variance = self.encoder(x).chunk(2, dim=1)
        z = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        likelihood = F.binary_cross_entropy_with_logits(self.decoder(z), x, reduction="sum")
        kl = 0.5 * torch.sum(log_variance.exp() + mean * mean - 1 - log_variance)
        return (likelihood + kl) / x.shape[0]


def main():
    device, n_rows, n_epochs, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    rows = (torch.rand(n_rows, 784) * (torch.rand(n_rows, 784) < 0.2)).to(device)
    model = Vae(sys.argv[5]).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    seconds = []
    total = None
    for _ in range(n_epochs):
        if device == "cuda":
            torch.cuda.synchronize()
        begin = time.perf_counter()
        total = torch.zeros((), device=device)
        order = torch.randperm(n_rows, device=device)
        for first in range(0, n_rows, 256):
            batch = rows[order[first : first + 256]]
            optimizer.zero_grad(set_to_none=True)
            loss = model.loss(batch)
            loss.backward()
            optimizer.step()
            total += loss.detach() * batch.shape[0]
        elbo = -total.item() / n_rows
        seconds.append(round(time.perf_counter() - begin, 5))
    print(json.dumps({"device": device, "torch": torch.__version__, "rows": n_rows, "seconds": seconds, "elbo": elbo}))


main()
