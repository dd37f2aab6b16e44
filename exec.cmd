@rem On Windows, where the shell of npm has no `exec`: runs what follows.
@%*
