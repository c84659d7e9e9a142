import type { CheckResult, ProbeResult } from './report.ts'

/** Whether bubblewrap can be relied on. */
export type SandboxState =
  | { kind: 'available'; version: string; probe: ProbeResult; degraded: string | null }
  | { kind: 'absent'; reason: string }
  | { kind: 'broken'; version: string; facet: string; message: string; probe: ProbeResult | null }

/** What a probe tries, which part of the walls it is about, and what it means when it does not hold. */
const PROBE_CHECKS: Record<string, { facet: string; miss: string }> = {
  owned_write: { facet: 'scope', miss: 'a file of the owned scope could not be written' },
  outside_write: { facet: 'filesystem', miss: 'a file outside could be written' },
  kernel_settings: { facet: 'filesystem', miss: 'a setting of the kernel could be opened for writing' },
  loopback: { facet: 'network', miss: 'a service on this machine could be reached' },
  unix_socket: { facet: 'sockets', miss: 'a Unix socket of the person could be reached' },
  qed_pid: { facet: 'pid', miss: 'processes outside could be seen' },
  masked_file: { facet: 'masks', miss: 'the content of a masked file could be read' },
  userns: { facet: 'userns', miss: 'a further user namespace could be made' },
}

/** The state that a probe shows. One that misses in user namespaces alone is still of use. */
export function judgeProbe(version: string, probe: ProbeResult): SandboxState {
  const missed = Object.entries(PROBE_CHECKS).filter(([name]) => isMiss(name, probe.checks[name]))
  const grave = missed.find(([name]) => name !== 'userns')?.[1]
  if (grave) return { kind: 'broken', version, facet: grave.facet, message: grave.miss, probe }
  return { kind: 'available', version, probe, degraded: missed[0]?.[1].facet ?? null }
}

// A check that was not made proves nothing; only the one that needs a further tool may be left out.
function isMiss(name: string, result: CheckResult | undefined): boolean {
  return name === 'userns' ? result === 'fail' : result !== 'pass'
}

const INSTALL = [
  'Install bubblewrap: apt-get install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora), pacman -S bubblewrap (Arch).',
  'Or choose to work without it: qed config set isolation.require worktree --scope personal. Screens then show: not isolated.',
]

const FIXES: { when: RegExp; fix: string }[] = [
  {
    when: /uid map|No permissions|setting up|Operation not permitted|clone|namespace/i,
    fix: 'Allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1 and user.max_user_namespaces=15000.',
  },
  {
    when: /uid map|Permission denied|RTM_NEWADDR|loopback|apparmor|Operation not permitted/i,
    fix: 'Where AppArmor restricts user namespaces (Ubuntu 24.04): sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or give bwrap a profile.',
  },
  {
    when: /proc|Operation not permitted|mount|pivot/i,
    fix: 'Inside a container: start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined, or with --privileged.',
  },
]

/** What to do about a state, best first; nothing where all is well. */
export function fixesFor(state: SandboxState, platform: string = process.platform): string[] {
  switch (state.kind) {
    case 'available':
      return state.degraded === null ? [] : ['Install bubblewrap 0.8 or newer, which can forbid further user namespaces.']
    case 'absent':
      return platform === 'linux'
        ? INSTALL
        : ['Bubblewrap needs Linux; use QED inside a Linux machine, WSL or a container.', ...INSTALL.slice(1)]
    case 'broken': {
      const fitting = FIXES.filter(({ when }) => when.test(state.message)).map(({ fix }) => fix)
      return fitting.length > 0 ? fitting : ['Run qed sandbox probe, and report what it shows: the sandbox starts but does not hold.']
    }
  }
}

/** What does not hold without a sandbox, in words for the person who is asked. */
export const WITHOUT_SANDBOX: readonly string[] = [
  'writes outside the scope are found afterwards, not stopped',
  'the network is open',
  'the home folder, other processes and local sockets can be reached',
]
