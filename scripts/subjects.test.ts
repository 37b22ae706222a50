import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

/** Subjects up to this commit are older than the rule. */
const OLDER = '3a5851722bb1c728097fe74294d069c088afd647';
const FAULTS = [/^.{73}/, /^Merge branch '/, /(?<![\w.])\/(?:home|opt|root|tmp|Users|work|workspace)\//];
const faultsOf = (subjects: readonly string[]) =>
  subjects.filter((subject) => FAULTS.some((fault) => fault.test(subject)));

test('subjects of commits have at most 72 characters, say what a merge brings, and name no path of a machine', () => {
  const wrong = [
    `Say ${'more '.repeat(14)}`,
    "Merge branch 'topic' into main",
    'Read a file of /home/me/notes',
  ];
  const right = ['Merge the words of screens', 'Answer /home and /api/order/list in one second'];
  expect(faultsOf([...wrong, ...right])).toEqual(wrong);

  // Git knows no such commit without a repository and in a shallow clone.
  const { status, stdout } = spawnSync('git', ['log', '--format=%s', `${OLDER}..HEAD`], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  expect(status === 0 ? faultsOf(stdout.split('\n')) : []).toEqual([]);
});
