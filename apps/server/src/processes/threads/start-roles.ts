import type { Logger } from 'pino';
import { type Config, ConfigError } from '../../config/config.ts';
import type { DatabaseAddress } from '../../platform/db/database.ts';
import { type LoopDelays, watchLoop } from '../../platform/loop-delay.ts';
import { type DecidingOptions, startDecidingRole } from './deciding-roles.ts';
import { WatchedThread } from './watched-thread.ts';

/** A role that shares its process with others runs in its own thread: their load delays neither the log nor settlement. */
export async function startDecidingRoles(
  { config, log, delays }: { config: Config; log: Logger; delays: LoopDelays },
  database: Pick<DatabaseAddress, 'server' | 'chain'>,
  parts: { push(part: { stop(): Promise<void> }): unknown },
): Promise<void> {
  const { feed, chains, mode, natsUrl, signingKeyFile, encryptionKeyFile, logLevel } = config;
  const settings = { feed, chains, mode, natsUrl, signingKeyFile, encryptionKeyFile, logLevel };
  for (const role of (['feed', 'engine', 'chain'] as const).filter((name) => config.roles.has(name))) {
    // The watcher of chains alone may say what a chain has.
    const server = role === 'chain' ? database.chain : database.server;
    if (server === null) throw new ConfigError('ROLE=chain needs DATABASE_CHAIN_URL, or DATABASE_URL');
    const options: DecidingOptions = { role, settings, server };
    if (config.roles.size === 1) {
      parts.push(await startDecidingRole(options, log));
      const watch = watchLoop(delays.of(role));
      parts.push({ stop: async () => watch.stop() });
      continue;
    }
    const onDelay = delays.of(role);
    const thread = await WatchedThread.start({
      name: role,
      script: new URL('./deciding-thread.ts', import.meta.url),
      data: options,
      log,
      onMessage: (message) => {
        if (message.kind === 'loop') onDelay(message.delay);
      },
    });
    parts.push(thread);
  }
}
