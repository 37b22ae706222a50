import { ConfigError } from './config-error.ts';
import type { Env } from './read-values.ts';
import { secretSetting } from './secret-setting.ts';

/** Addresses of NATS servers, separated by commas; null: none. @throws ConfigError, without the text, which may hold a password */
export function readNatsUrl(name: 'NATS_URL', env: Env): string | null {
  const text = secretSetting(env, name);
  if (!text) return null;
  const urls = text.split(',').map((one) => URL.parse(one));
  const [first] = urls;
  const isRight = urls.every(
    (url) =>
      url !== null &&
      /^(nats|tls):$/.test(url.protocol) &&
      url.hostname !== '' &&
      url.search + url.hash === '' &&
      /^\/?$/.test(url.pathname) &&
      [url.protocol, url.username, url.password].join(' ') ===
        [first?.protocol, first?.username, first?.password].join(' '),
  );
  if (!isRight)
    throw new ConfigError(
      'NATS_URL must be nats://[USER:PASSWORD@]HOST[:PORT], or tls:// in place of nats://; several with commas between differ in host and port alone',
    );
  return text;
}
