import { launch } from '@fairtick/kit/browser/browser.ts';
import type { ServerProcess } from '@fairtick/kit/browser/server.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDemo } from '../../scripts/shots/demo.ts';
import { difference, shrink } from '../../scripts/shots/kept.ts';
import { prepare } from '../../scripts/shots/people.ts';
import { FIRST_LOOKS } from '../../scripts/shots/sizes.ts';
import { Studio, scenesOf } from '../../scripts/shots/studio.ts';

/** Scenes at a time: the machine draws some while others wait for the server. */
const AT_ONCE = 2;
const SCENES = Object.values(FIRST_LOOKS).flatMap((look) => scenesOf(look).map((scene) => ({ scene, look })));

/** A demo of its own: its people are known. */
let server: ServerProcess;
let studio: Studio;
const { FAIRTICK_ORIGIN, FAIRTICK_OFFICE } = process.env;
beforeAll(async () => {
  const browser = await launch();
  server = await startDemo();
  const people = await prepare();
  studio = new Studio({ browser, origin: server.origin, office: server.officeOrigin, people });
}, 900_000);
afterAll(async () => {
  await server?.stop();
  Object.assign(process.env, { FAIRTICK_ORIGIN, FAIRTICK_OFFICE });
});

test('every scene reaches its state and looks like the picture that is kept of it', async () => {
  const browser = await launch();
  const faults: string[] = [];
  const left = [...SCENES];
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { scene, look } = next;
      try {
        const picture = await studio.take(scene, look, { isStill: true });
        const fault = difference(look.part, scene.name, await shrink(browser, picture));
        if (fault !== null) faults.push(`${look.part} ${scene.name}: ${fault}`);
      } catch (error) {
        faults.push((error as Error).message);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(faults).toEqual([]);
}, 2_400_000);
