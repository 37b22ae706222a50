import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach } from 'vitest';

/**
 * Tests reckon with today's date and with sums of a day, which begin again at midnight UTC. So neither a file nor a test begins shortly
 * before it: this is a setup of all tests on a real clock. Tests of midnight itself set their own days.
 */
const DAY_MS = 86_400_000;
/** Files on a busy machine last longer, and their tests wait again. */
const FILE_MS = 120_000;
/** Shorter than a hook may take. */
const TEST_MS = 60_000;

const untilDayLasts = async (ms: number): Promise<void> => {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < ms) await sleep(leftMs + 50);
};

// Before the file is read, whose lists of cases may have dates.
await untilDayLasts(FILE_MS);
beforeEach(() => untilDayLasts(TEST_MS));
