const OVERRIDING = new Set(
  (
    'PATH IFS ENV BASH_ENV PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS HOME XDG_CONFIG_HOME PAGER EDITOR VISUAL BROWSER LESSOPEN LESSCLOSE ' +
    'CLASSPATH MAKEFLAGS TAR_OPTIONS RIPGREP_CONFIG_PATH NODE_OPTIONS JAVA_TOOL_OPTIONS _JAVA_OPTIONS'
  ).split(' '),
)
const OVERRIDING_STARTS = ['LD_', 'DYLD_', 'GIT_', 'PYTHON', 'PERL5', 'RUBY']
const OVERRIDING_ENDS = ['_ASKPASS', '_PROXY', '_proxy']
const SECRET = /secret|passw|passphrase|credential|(api|access|private)_?key|(^|_)(token|pat)(_|$)/i

/** Variables that change which code a harmless program runs or where it sends things. */
export function overridesBehaviour(name: string): boolean {
  return (
    OVERRIDING.has(name) ||
    OVERRIDING_STARTS.some(start => name.startsWith(start)) ||
    OVERRIDING_ENDS.some(end => name.endsWith(end)) ||
    // npm looks at this prefix in any case.
    (name.length > 11 && name.slice(0, 11).toLowerCase() === 'npm_config_')
  )
}

export function isSecretName(name: string): boolean {
  return SECRET.test(name)
}
