import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Usual paths of Chromium. The headless build comes first: a full build draws a window around every page. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** Flags with which a headless Chromium runs as any user and does not use the network by itself. */
export const CHROMIUM_FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function findChromium(): string | null {
  const named = process.env.CHROMIUM;
  if (named) return existsSync(named) ? named : null;
  return PLACES.find((place) => existsSync(place)) ?? null;
}

/** Finds a Chromium, or installs Debian's where that is allowed. @throws Error in one line that says what to install */
export function ensureChromium(): string {
  const found = findChromium();
  if (found) return found;
  if (process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0) {
    console.log('  no Chromium found: installing Debian’s');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore', env });
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium-headless-shell'], {
      stdio: 'ignore',
      env,
    });
    const installed = findChromium();
    if (installed) return installed;
  }
  throw new Error(
    'the browser journeys need Chromium: install Debian’s package "chromium-headless-shell" or "chromium", or set CHROMIUM to its path',
  );
}
