import { readFileSync } from 'node:fs';
import { photo } from '@fairtick/kit/people/pictures.ts';
import { childrenOf } from '@fairtick/kit/processes/processes.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { RefusalError } from '../http/context.ts';
import { RESIDENT_BYTES } from './image-format.ts';
import { ImageWorkshop, isRefused } from './image-workshop.ts';

const workshops: ImageWorkshop[] = [];
const open = (options?: ConstructorParameters<typeof ImageWorkshop>[0]) => {
  const workshop = new ImageWorkshop(options);
  workshops.push(workshop);
  return workshop;
};
afterAll(() => {
  for (const workshop of workshops) workshop.stop();
});

/** The process's status in /proc; empty when it has ended. */
function fileOf(pid: number, name: 'cmdline' | 'limits'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

describe('the workshop of pictures', () => {
  test('has room for a few waiting pictures, and refuses more with NOT_READY', async () => {
    const workshop = open();
    const picture = await photo();
    const answers = await Promise.allSettled(Array.from({ length: 40 }, () => workshop.remake(picture)));
    const made = answers.filter(({ status }) => status === 'fulfilled');
    const refused = answers.filter((answer) => answer.status === 'rejected');
    expect(made.length).toBeGreaterThanOrEqual(13);
    expect(refused.length).toBeGreaterThan(10);
    expect(refused.every(({ reason }) => reason instanceof RefusalError && reason.code === 'NOT_READY')).toBe(
      true,
    );
    expect(isRefused(await workshop.remake(picture))).toBe(false);
  });

  test('ends a child process that takes too much time or memory, and serves the next picture', async () => {
    const picture = await photo({ width: 3000, height: 3000 });
    expect(await open({ timeMs: 20 }).remake(picture)).toBe('unreadable');
    const small = open({ dataKibibytes: 1_000 });
    expect(await small.remake(picture)).toBe('unreadable');
    expect(isRefused(await open().remake(picture))).toBe(false);
    expect(RESIDENT_BYTES).toBeLessThan(1024 ** 3);
  });

  test('gives a child process eight seconds of processor time, however long it waits for the processor', async () => {
    const workshop = open();
    const picture = await photo({ width: 4000, height: 4000 });
    let isSeen = false;
    // One picture after the other: a child process may end before this one has looked.
    const running = (async () => {
      for (let made = 0; made < 100 && !isSeen; made += 1)
        expect(isRefused(await workshop.remake(picture))).toBe(false);
    })();
    const limits = await seen(() =>
      childrenOf(process.pid)
        .filter((pid) => fileOf(pid, 'cmdline').includes('image-child'))
        .map((pid) => fileOf(pid, 'limits'))
        .find((text) => /Max cpu time +\d/.test(text)),
    );
    isSeen = true;
    expect(limits).toMatch(/Max cpu time +8 +8 +seconds/);
    await running;
  });

  test('ends its running child process when it stops', async () => {
    const workshop = open();
    const picture = await photo({ width: 4000, height: 4000 });
    // Stopped in the same turn, so that the child process has no time to end by itself.
    const running = workshop.remake(picture);
    workshop.stop();
    expect(await running).toBe('unreadable');
  });
});
