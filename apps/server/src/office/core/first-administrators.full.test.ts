import { OfficeClient, startOffice } from '@fairtick/kit/clients/office-client.ts';
import { createTestDatabase } from '@fairtick/kit/database/database.ts';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { DEMO_STAFF, DEMO_STAFF_PASSWORD, prepareStaff } from './demo-staff.ts';
import { makeFirstAdministrators } from './first-administrators.ts';

const HERE = ['http://localhost:3000', 'http://localhost:3001'];
const db = ownDatabase();

async function make(
  ...accounts: string[]
): Promise<Awaited<ReturnType<typeof makeFirstAdministrators>> | string> {
  const owner = new pg.Client(db.ownerAddress);
  await owner.connect();
  try {
    return await makeFirstAdministrators(owner, accounts);
  } catch (error) {
    return (error as Error).message;
  } finally {
    await owner.end();
  }
}

describe('the first administrators', () => {
  test('are two different accounts with valid names', async () => {
    expect(await make()).toMatch(/two accounts/);
    expect(await make('alice_1')).toMatch(/two accounts/);
    expect(await make('alice_1', 'ALICE_1')).toMatch(/two accounts/);
    expect(await make('alice_1', '1bob')).toMatch(/not 1bob/);
  });

  test('are created once, even by concurrent commands, and can log in to change their password', async () => {
    const answers = await Promise.all([make('alice_1', 'bob_11'), make('carol_1', 'dave_1')]);
    const refused = answers.filter((answer) => typeof answer === 'string');
    expect(refused).toEqual([expect.stringMatching(/there are 2 administrators already/)]);
    expect(await make('erin_11', 'frank_1')).toMatch(/already/);
    const made = answers.find((answer) => typeof answer !== 'string');
    const [first] = made as { account: string; oneTimePassword: string }[];
    const office = await startOffice(db);
    const { body } = await new OfficeClient(office.officeOrigin).post('session/login', {
      account: first?.account as string,
      password: first?.oneTimePassword as string,
    });
    expect(body.data).toMatchObject({ mustChangePassword: true, roles: [{ role: 'administrator' }] });
    await office.stop();
  });

  test('can be created again when fewer than two are active', async () => {
    await db.owner.query(
      `update staff set is_active = false where id = (select min(staff_id) from staff_roles where role = 'administrator')`,
    );
    expect(await make('grace_1', 'heidi_1')).toHaveLength(2);
    expect(await make('ivan_11', 'judy_11')).toMatch(/already/);
    // Those who did not log in within a day can't any more.
    await db.owner.query(`update staff set one_time_from = now() - interval '25 hours'`);
    expect(await make('ivan_11', 'judy_11')).toHaveLength(2);
    expect(await make('kate_11', 'leo_111')).toMatch(/already/);
  });
});

describe('the demo’s staff', () => {
  test('are created once, two for each role with a part in four eyes, and can log in', async () => {
    const demo = await createTestDatabase();
    await Promise.all([
      prepareStaff(demo.ownerAddress, 'demo', HERE),
      prepareStaff(demo.ownerAddress, 'demo', HERE),
    ]);
    const { rows } = await demo.owner.query<{ account: string; role: string }>(
      'select s.account, r.role from staff s join staff_roles r on r.staff_id = s.id order by s.id',
    );
    expect(rows).toEqual(DEMO_STAFF);
    const { rows: rules } = await demo.owner.query<{ role: string }>(
      'select role from four_eyes_rules union select edit_role from four_eyes_rules where edit_role is not null',
    );
    for (const { role } of rules) {
      expect([role, DEMO_STAFF.filter((member) => member.role === role).length]).toEqual([role, 2]);
    }
    const office = await startOffice(demo);
    const { body } = await new OfficeClient(office.officeOrigin).post('session/login', {
      account: 'approver_1',
      password: DEMO_STAFF_PASSWORD,
    });
    expect(body.data.roles[0].usableFrom).toBeLessThanOrEqual(body.data.serverTime);
    await office.stop();
    // Demo accounts must not log in where real money is handled.
    await expect(prepareStaff(demo.ownerAddress, 'live', HERE)).rejects.toThrow(
      /MODE=live refuses .*admin_1/,
    );
    await demo.owner.query('update staff set is_active = false');
    await prepareStaff(demo.ownerAddress, 'live', HERE);
    await demo.drop();
  });

  test('are turned off where others can reach the office, and administrators are made by command there', async () => {
    const demo = await createTestDatabase();
    await prepareStaff(demo.ownerAddress, 'demo', HERE);
    const office = await startOffice(demo);
    const desk = new OfficeClient(office.officeOrigin);
    const login = { account: 'admin_1', password: DEMO_STAFF_PASSWORD };
    expect((await desk.post('session/login', login)).body.code).toBe(1);
    await prepareStaff(demo.ownerAddress, 'demo', ['https://trade.example', 'http://localhost:3001']);
    expect((await desk.get('audit/list')).status).toBe(401);
    expect((await desk.post('session/login', login)).body.error).toBe('LOGIN_FAILED');
    // A later start on this machine does not turn them on again.
    await prepareStaff(demo.ownerAddress, 'demo', HERE);
    expect((await desk.post('session/login', login)).body.error).toBe('LOGIN_FAILED');
    const owner = new pg.Client(demo.ownerAddress);
    await owner.connect();
    expect(await makeFirstAdministrators(owner, ['alice_1', 'bob_11'])).toHaveLength(2);
    await owner.end();
    await office.stop();
    await demo.drop();
  });
});
