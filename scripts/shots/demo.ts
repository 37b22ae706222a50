import { type ServerProcess, startServerProcess } from '@fairtick/kit/browser/server.ts';

/** A demo for pictures: decisions need not wait for holds, and one machine is all of its customers. */
export async function startDemo(): Promise<ServerProcess> {
  const server = await startServerProcess({
    MODE: 'demo',
    HOLD_SECONDS: '1',
    // Else pictures of conversations differ by the time of day.
    SUPPORT_HOURS: 'always',
    LIMIT_REGISTRATIONS: '10000',
    LIMIT_DAY_REGISTRATIONS: '10000',
    LIMIT_LOGINS: '10000',
    LIMIT_QUOTA_PERCENT: '1000000',
  });
  process.env.FAIRTICK_ORIGIN = server.origin;
  process.env.FAIRTICK_OFFICE = server.officeOrigin;
  return server;
}
