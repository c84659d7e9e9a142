import { longNames, type OptionShape } from './arguments.ts'

/** A program that talks to other machines through addresses among its words. */
export interface TransferRow extends OptionShape {
  /** Which operands are addresses. */
  addresses: 'all' | 'first' | 'remote-paths'
  verb: 'net.get' | 'net.send'
  /** Options that turn a fetch into a send. */
  sends?: readonly string[]
  /** Options that give the method. */
  method?: readonly string[]
  /** Options that name a file which is written. */
  writes?: readonly string[]
  /** Options that name a file which is read. */
  reads?: readonly string[]
  /** Options that hand over to another program, file or socket. */
  strange?: readonly string[]
  /** Options that send the traffic somewhere else than the address says. */
  bends?: readonly string[]
}

const options = (names: string): readonly string[] => names.split(' ')

const CURL_LONG = longNames(
  'abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to continue-at cookie cookie-jar ' +
    'create-file-mode crlfile data data-ascii data-binary data-raw data-urlencode delegation dns-servers doh-url dump-header ech egd-file engine ' +
    'etag-compare etag-save expect100-timeout form form-string ftp-account ftp-method ftp-port happy-eyeballs-timeout-ms header hostpubmd5 hsts ' +
    'interface json keepalive-time key key-type krb libcurl limit-rate local-port login-options mail-auth mail-from mail-rcpt max-filesize ' +
    'max-redirs max-time netrc-file noproxy output output-dir parallel-max pass pinnedpubkey proto proto-default proto-redir proxy proxy-header ' +
    'proxy-user pubkey quote range rate referer request request-target resolve retry retry-delay retry-max-time socks4 socks5 socks5-hostname ' +
    'speed-limit speed-time stderr telnet-option tftp-blksize time-cond tls-max tlsuser trace trace-ascii trace-config unix-socket upload-file url ' +
    'url-query user user-agent variable write-out',
)
const WGET_LONG = longNames(
  'output-document output-file append-output directory-prefix input-file user-agent header post-data post-file method body-data body-file tries ' +
    'timeout wait quota user password level accept reject domains include-directories exclude-directories referer execute config load-cookies ' +
    'save-cookies base rejected-log certificate private-key ca-certificate limit-rate bind-address',
)
const SSH_LONG: OptionShape = { values: 'BbcDEeFIiJLlmOopQRSWw', stopsAtOperand: true }

export const TRANSFERS: ReadonlyMap<string, TransferRow> = new Map<string, TransferRow>([
  [
    'curl',
    {
      addresses: 'all',
      verb: 'net.get',
      values: 'AbcCdDeEFHhKmoPQrtTuUwxXyYz',
      longValues: CURL_LONG,
      sends: options(
        '-d -F -T -Q --data --data-ascii --data-binary --data-raw --data-urlencode --form --form-string --upload-file --json --quote --mail-from --mail-rcpt --url-query',
      ),
      method: ['-X', '--request'],
      writes: options('-o -D -c --output --dump-header --cookie-jar --trace --trace-ascii --etag-save --stderr --libcurl --hsts --alt-svc'),
      reads: ['-E', '--cert', '--key', '--cacert', '--crlfile', '--etag-compare', '--pubkey'],
      strange: options(
        '-K --config --netrc -n --netrc-file --netrc-optional --unix-socket --abstract-unix-socket --engine --variable --expand-url --expand-output --expand-data',
      ),
      bends: ['-x', '--proxy', '--connect-to', '--resolve', '--preproxy', '--socks4', '--socks5', '--socks5-hostname', '--doh-url'],
    },
  ],
  [
    'wget',
    {
      addresses: 'all',
      verb: 'net.get',
      values: 'OoaPiUTtwQlARDIXeB',
      longValues: WGET_LONG,
      sends: ['--post-data', '--post-file', '--body-data', '--body-file'],
      method: ['--method'],
      writes: ['-O', '--output-document', '-o', '-a', '--output-file', '--append-output', '--save-cookies', '--rejected-log'],
      reads: ['-i', '--input-file', '--post-file', '--body-file', '--load-cookies', '--certificate', '--private-key'],
      strange: ['-e', '--execute', '--config', '--use-askpass'],
    },
  ],
  ['http', { addresses: 'all', verb: 'net.get', values: 'oaAp', longValues: longNames('output auth session'), writes: ['-o', '--output'] }],
  [
    'https',
    { addresses: 'all', verb: 'net.get', values: 'oaAp', longValues: longNames('output auth session'), writes: ['-o', '--output'] },
  ],
  [
    'nc',
    {
      addresses: 'first',
      verb: 'net.send',
      values: 'ceIiMmOPpqsTVWwXx',
      strange: ['-e', '-c', '-U', '--exec', '--sh-exec', '--lua-exec', '-x'],
    },
  ],
  [
    'ncat',
    {
      addresses: 'first',
      verb: 'net.send',
      values: 'ceidgGmopsw',
      strange: ['-e', '-c', '-U', '--exec', '--sh-exec', '--lua-exec', '--proxy'],
    },
  ],
  ['telnet', { addresses: 'first', verb: 'net.send', values: 'blenX' }],
  ['ssh', { addresses: 'first', verb: 'net.send', ...SSH_LONG, strange: ['-F', '-S', '-E', '-I', '-D', '-L', '-R', '-W', '-w'] }],
  ['scp', { addresses: 'remote-paths', verb: 'net.send', values: 'cDFiJloPSX', strange: ['-F', '-S', '-D'] }],
  ['sftp', { addresses: 'first', verb: 'net.send', values: 'BbcDFiJloPRSsX', reads: ['-b'], strange: ['-F', '-S', '-D', '-s'] }],
  [
    'rsync',
    {
      addresses: 'remote-paths',
      verb: 'net.send',
      values: 'efBTM@',
      longValues: longNames(
        'rsh rsync-path exclude include files-from exclude-from include-from filter log-file temp-dir compare-dest link-dest',
      ),
      writes: ['--log-file'],
      reads: ['--files-from', '--exclude-from', '--include-from'],
      strange: ['-e', '--rsh', '--rsync-path', '--password-file', '--early-input', '-M', '--remote-option'],
    },
  ],
  ['ftp', { addresses: 'first', verb: 'net.send' }],
  ['dig', { addresses: 'all', verb: 'net.get', values: 'bcfkpqtxy', reads: ['-f', '-k'] }],
  ['nslookup', { addresses: 'all', verb: 'net.get' }],
  ['ping', { addresses: 'all', verb: 'net.get', values: 'cdiIlmMpQsStTwW' }],
  ['whois', { addresses: 'all', verb: 'net.get', values: 'hpgist' }],
  ['gh', { addresses: 'first', verb: 'net.send' }],
  ['glab', { addresses: 'first', verb: 'net.send' }],
  ['aws', { addresses: 'first', verb: 'net.send' }],
  ['gcloud', { addresses: 'first', verb: 'net.send' }],
  ['az', { addresses: 'first', verb: 'net.send' }],
])

/** Programs whose words name no host: theirs is fixed or configured. */
export const FIXED_HOSTS: ReadonlyMap<string, string> = new Map([
  ['gh', 'github.com'],
  ['glab', 'gitlab.com'],
  ['aws', '*'],
  ['gcloud', '*'],
  ['az', '*'],
])

/** Settings of the ssh family that start a local program. */
export const SSH_RUNS =
  /^\s*(?:proxycommand|localcommand|permitlocalcommand|knownhostscommand|match|include|pkcs11provider|securitykeyprovider|xauthlocation|proxyusefdpass)/i
