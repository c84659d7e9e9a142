import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verifyCommandFault } from '../../../src/proof/judges/verify-command.ts'

const lines = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map(line => line.trim())

describe('F-21 a command that cannot fail is trivial', () => {
  test.each([
    ...lines(`true
      :
      exit 0
      echo ok
      printf done
      pwd
      ls dist
      cat README.md
      sleep 5
      test 1 = 1
      [ a = a ]
      [[ -n x ]]
      test -z ''
      true && echo ok
      echo a; echo b
      cd src && ls
      /bin/true
      command true
      env CI=1 true
      timeout 60 true
      bash -c 'exit 0'
      bash -lc "echo ok"
      sh -c 'sh -c true'
      (true)
      { echo ok; }
      ! false
      false || true
      # npm test
      echo $(ls)
      if true; then echo ok; fi
      echo "npm test"`),
    '',
    'echo a\necho b',
    'bash <<< true',
  ])('%j', command => expect(verifyCommandFault(command)?.id).toBe('verify.trivial'))
})

describe('F-21 a command that hides a failure is refused', () => {
  test.each([
    ...lines(`npm test || true
      npm test || :
      npm test || exit 0
      npm test || echo failed
      npm test || printf x
      npm test || (echo failed)
      npm test || { echo failed; exit 0; }
      npm test || /bin/true
      npm test || sh -c true
      npm test || true; npm run lint
      npm test && npm run lint || true
      npm test; echo done
      npm test; true
      npm test; exit 0
      exit 0; npm test
      exec true; npm test
      npm test; rc=0; exit $rc
      npm run build && (npm test || true)
      npm run build && sh -c 'npm test | tee log'
      npm test && npx jest --passWithNoTests
      if npm run build; then npm test; fi
      ! npm test || npm test
      npm test || ! npm run lint
      ! grep -q FIXME src
      npm test &
      npm test & wait
      set +e; npm test
      set +o errexit; npm test
      set -e; npm test; set +e; npm run lint
      ! npm test
      ( ! npm test )
      cd src && ! npm test
      npx jest --passWithNoTests
      npm test -- --passWithNoTests
      npx playwright test --pass-with-no-tests=true
      npm run test --if-present
      ruff check --exit-zero .
      tool --no-fail
      make -k test
      make -ik test
      make --keep-going test
      set +o pipefail; npm test | tee log
      sh -c 'npm test | tee log'
      sh -c 'npm test | cat'
      npm test | tee log || true
      sh -c 'npm test || true'
      bash -c "npm test; echo ok"
      timeout 60 sh -c 'npm test || true'
      env CI=1 bash -c 'npm test || :'
      eval 'npm test || true'
      docker exec box sh -c 'npm test || true'
      (npm test || true)
      { npm test; true; }
      if npm test; then echo ok; fi
      if npm test; then echo ok; else echo bad; fi
      until npm test; do sleep 1; done
      case $(npm test) in *) echo ok;; esac
      true || npm test
      trap 'exit 0' EXIT; npm test
      echo $(npm test)
      export X=$(npm test)
      npm() { true; }; npm test
      $CMD
      eval "$CMD"`),
    'npm test\ntrue',
    'npm test "',
    'npm test |',
    'if npm test; then',
    'npm test\0',
    "bash <<'E'\nnpm test || true\nE",
  ])('%j', command => expect(verifyCommandFault(command)?.id).toBe('verify.swallowed'))
})

describe('F-21 a command whose failure comes through is fine', () => {
  test.each([
    ...lines(`npm test
      npm test || exit 1
      npm test || { echo failed; exit 1; }
      npm test || (echo no && exit 1)
      npm test || exit 1; echo done
      npm test && echo ok
      cd src && npm test
      npm ci && npm test
      cd src; npm test
      set -e; npm test; echo done
      set -euo pipefail; npm test; echo done
      bash -ec 'npm test; echo done'
      npm test | tee log
      npm test 2>&1 | tee log
      bash -o pipefail -c 'npm test | tee log'
      sh -c 'find . -name "*.js" | xargs eslint'
      cat input | node check.js
      timeout 60 npm test
      env CI=1 npm test
      CI=1 npm test
      time npm test
      npm test && ! grep -r FIXME src
      npm test || npm run test:old
      npm run build && ! node bad.js
      npm run lint; npm test; exit $?
      exec npm test
      if [ -f a ]; then npm test; fi
      [ -d out ] || mkdir out; npm test
      grep -q ok out.txt
      test -f dist/out.js
      [ -s dist/out.js ]
      test "$(node a.js)" = 3
      test $(node a.js) -eq 3
      node server.js & npm test
      npm test; rc=$?; echo done; exit $rc
      npm test & wait $!
      if npm test; then echo ok; else exit 1; fi
      if ! npm test; then exit 1; fi; echo ok
      if [ -f a ]; then npm test; else npm run other; fi
      for f in test/*.js; do node $f || exit 1; done
      cargo test --no-fail-fast
      pytest -k name
      make test
      make -C sub test
      npx jest --passWithNoTests=false
      python -m pytest -q
      "$PWD/run-tests.sh"
      bash test.sh
      echo start; npm test
      false
      exit 1
      npm test; exit 1
      X=$(npm test)
      node --test
      tsc --noEmit && vitest run
      ./gradlew test
      diff <(node a.js) expected.txt
      node a.js > out && diff out expected
      (cd sub && npm test)
      [ "$(node a.js)" = "3" ]
      [[ $(node a.js) == 3 ]]
      if [ "$(node a.js)" != 3 ]; then echo bad; exit 1; fi
      if grep -rq FIXME src; then exit 1; fi; echo clean
      case $(node a.js) in 3) ;; *) exit 1;; esac
      npm test || { cat log; false; }
      npm test |& tail -20
      bash -euo pipefail -c 'npm test | tail -5; echo ok'
      node -e 'process.exit(require("./a") || true)'`),
    'npm run build\nnpm test',
    "python3 - <<'E'\nimport a\nassert a.x == 3\nE",
  ])('%j', command => expect(verifyCommandFault(command)).toBeNull())
})

describe('F-21 never', () => {
  const real = fc.constantFrom(
    'npm test',
    'pytest -q',
    'cargo test',
    'node check.js',
    'cd a && npm test',
    '(npm test)',
    "sh -c 'npm test'",
    'timeout 9 npm test',
  )
  const wrap = fc.constantFrom<(inner: string) => string>(
    inner => inner,
    inner => `( ${inner} )`,
    inner => `{ ${inner}; }`,
    inner => `bash -c '${inner.replaceAll("'", `'\\''`)}'`,
    inner => `cd x && { ${inner}; }`,
  )

  test('is a real command let through with a success behind it, however it is wrapped', () => {
    const ends = fc.constantFrom(' || true', ' || :', ' || exit 0', ' || echo no', '; true', '; echo done', '; exit 0', ' &')
    fc.assert(
      fc.property(real, ends, wrap, (command, end, around) => {
        expect(verifyCommandFault(around(`${command}${end.endsWith('&') ? `${end} true` : end}`))).not.toBeNull()
      }),
    )
  })

  test('is an honest command refused for being wrapped', () => {
    fc.assert(
      fc.property(real, wrap, wrap, (command, one, two) => {
        expect(verifyCommandFault(one(two(command)))).toBeNull()
      }),
    )
  })

  test('does a text make it throw', () => {
    const pieces = fc.constantFrom(
      'npm test',
      '||',
      '&&',
      '|',
      '(',
      ')',
      '{',
      '}',
      "'",
      '"',
      'true',
      ';',
      '&',
      '!',
      'if',
      'then',
      'fi',
      '$(',
      '`',
      '\n',
      'sh -c',
      'set +e',
      '<<E',
      'done',
      'do',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), parts => {
        expect(() => verifyCommandFault(parts.join(' '))).not.toThrow()
      }),
      { numRuns: 2000 },
    )
  })
})
