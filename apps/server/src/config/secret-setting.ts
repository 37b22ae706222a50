import { readFileSync } from 'node:fs';
import { ConfigError } from './config-error.ts';
import type { Env } from './read-values.ts';

/**
 * A setting that may also stand in a file (`NAME_FILE`), as orchestrators hand out secrets.
 * @throws ConfigError when both are set, or the file can't be read
 */
export function secretSetting(env: Env, name: string): string | undefined {
  const path = env[`${name}_FILE`];
  if (!path) return env[name];
  if (env[name]) throw new ConfigError(`${name} and ${name}_FILE are both set: remove one`);
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`${name}_FILE ${path} can't be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
