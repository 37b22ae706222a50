import { type Config, OFFICE_PORT } from '../config/config.ts';
import { DEMO_CUSTOMER } from '../customers/identity/demo-customer.ts';
import { DEMO_STAFF, DEMO_STAFF_PASSWORD, isThisMachine } from '../office/core/demo-staff.ts';

/** The text at a terminal once the server is ready. @param office the origin of the office that the process serves; null: none */
export function announcementOf(config: Config, office: string | null): string {
  const { publicOrigin: origin } = config;
  const names = DEMO_STAFF.map(({ account }) => account)
    .join(', ')
    .replace(/(.{60}\S{0,60}) /g, '$1\n                      ');
  const who =
    config.mode === 'demo' && originsOf(config).every(isThisMachine)
      ? `Demo staff:         ${names}
                      all with ${DEMO_STAFF_PASSWORD}`
      : 'First staff:        npm run admin -- first-administrators ACCOUNT ACCOUNT';
  const staff = `\n  Office:             ${office ?? withoutOffice(config)}${office === null ? '' : `\n  ${who}`}`;
  const isDemo = config.mode === 'demo';
  const first = isDemo
    ? `Demo account:       ${DEMO_CUSTOMER.account} / ${DEMO_CUSTOMER.password}`
    : 'What is still open: npm run admin -- new-house';
  return `
  Fairtick is ready:  ${origin}
  ${first}${staff}
  API documentation:  ${origin}/api/docs
  Stop with Ctrl-C.${isDemo ? ' All money is practice money.' : ''}
`;
}

function withoutOffice({ office, port }: Config): string {
  if (office === null && port !== OFFICE_PORT) return 'off';
  return `none, because ${office === null ? 'PORT' : 'another program'} has the port ${office?.port ?? port}: set OFFICE_PORT to a free one`;
}

export function originsOf({ publicOrigin, office }: Config): string[] {
  return [publicOrigin, ...(office ? [office.origin] : [])];
}
