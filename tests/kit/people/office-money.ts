import { day, type OfficeDesk } from './office-desk.ts';

export async function passDeposits(desk: OfficeDesk): Promise<void> {
  const [claimed, differing, wrong] = desk.depositIds as [string, string, string, string];
  const who = 'cashier_1';
  await desk.get(who, 'deposit/queue');
  await desk.get(who, 'deposit/proof', { id: claimed });
  await desk.post(who, 'deposit/claim', { id: claimed });
  await desk.post(who, 'deposit/release', { id: claimed });
  await desk.post(who, 'deposit/find', { id: claimed, amount: '200', evidence: 'tx 1' });
  await desk.post(who, 'deposit/find', { id: differing, amount: '190', evidence: 'tx 2' });
  const { content } = await desk.get(who, 'deposit/detail', { id: differing });
  await desk.post('approver_1', 'deposit/approve', { id: differing, content });
  await desk.get(who, 'request/reasons');
  await desk.post(who, 'deposit/refuse', { id: wrong, status: 'failure', reason: 'not_received' });
}

/** By hand. */
export async function passWithdrawals(desk: OfficeDesk): Promise<void> {
  const who = 'cashier_1';
  const id = await desk.withdrawal('USDT', '50');
  const other = await desk.withdrawal('USDT', '50');
  await desk.get(who, 'withdrawal/queue');
  await desk.get(who, 'withdrawal/destination', { id });
  await desk.post(who, 'withdrawal/claim', { id });
  await desk.post(who, 'withdrawal/release', { id });
  await desk.approve(id);
  await desk.get('auditor_1', 'withdrawal/detail', { id });
  await desk.post(who, 'withdrawal/send', { id, way: 'hand' });
  await desk.post(who, 'withdrawal/proposeEnd', { id, outcome: 'not_sent', note: 'The bank was closed' });
  const { end } = await desk.get(who, 'withdrawal/detail', { id });
  const verdict = { id: end.id, content: end.content, verdict: 'agree' };
  await desk.post('approver_1', 'withdrawal/decideEnd', verdict);
  await desk.post(who, 'withdrawal/send', { id, way: 'hand' });
  await desk.post(who, 'withdrawal/pay', { id, reference: 'payment 1' });
  await desk.post(who, 'withdrawal/refuse', { id: other, reason: 'security' });
}

export async function passTreasury(desk: OfficeDesk): Promise<void> {
  const [cashier, approver] = ['cashier_1', 'approver_1'] as const;
  for (const path of ['transfers', 'trialBalance', 'violations', 'liabilities'])
    await desk.get('auditor_1', `ledger/${path}`);
  await desk.get(cashier, 'ledger/cause', { of: `deposit:${desk.depositIds[0]}` });
  await desk.post(cashier, 'reconciliation/run');
  await desk.get(cashier, 'reconciliation/list');
  const correction = {
    customerId: desk.customerId,
    asset: 'USDT',
    direction: 'up',
    reason: 'a wrong sum',
  };
  const agreed = await desk.post(cashier, 'correction/propose', { ...correction, amount: '1' });
  await desk.post(approver, 'correction/approve', agreed);
  await desk.post(
    approver,
    'correction/refuse',
    await desk.post(cashier, 'correction/propose', { ...correction, amount: '2' }),
  );
  await desk.get(cashier, 'correction/list');
  const fileOf = (...lines: string[]) => ({
    asset: 'USD',
    file: Buffer.from(`date,amount,reference,counterparty\n${lines.join('\n')}\n`).toString('base64'),
  });
  const file = fileOf(`${day(0)},75.00,FT1,Somebody`, `${day(0)},-6000.00,FT2,We`);
  await desk.post(cashier, 'statement/preview', file);
  await desk.post(cashier, 'statement/import', file);
  const lineOf = async (name: string) =>
    (await desk.get(cashier, 'statement/list', { state: 'all' })).items.find(
      ({ reference }: { reference: string }) => reference === name,
    );
  const explain = async (name: string, kind: string) =>
    desk.post(cashier, 'statement/explain', {
      id: (await lineOf(name)).id,
      kind,
      note: 'a sample of ours',
    });
  await explain('FT1', 'other');
  await explain('FT2', 'own_transfer');
  const { explanations } = await lineOf('FT2');
  await desk.post(approver, 'statement/decide', { id: explanations[0].id, verdict: 'agree' });
  await desk.post(cashier, 'statement/import', fileOf(`${day(0)},7.00,FT3,Nobody`));
  const { items: imports } = await desk.get(cashier, 'statement/imports');
  await desk.post(cashier, 'statement/undo', { id: imports[0].id });
  const terms = {
    asset: 'USDT',
    network: 'TRC20',
    address: 'DEMO-more',
    min: '20',
    max: '100',
    isEnabled: 'true',
  };
  const { id: channel } = await desk.post(cashier, 'channel/propose', terms);
  await desk.post(approver, 'channel/decide', { id: channel, verdict: 'agree' });
  for (const path of ['channel/list', 'channel/changes']) await desk.get(cashier, path);
  const bounds = { asset: 'USDT', min: '10', max: '40000', fee: '1' };
  const { id: limit } = await desk.post(cashier, 'limit/propose', bounds);
  await desk.post(approver, 'limit/decide', { id: limit, verdict: 'agree' });
  for (const path of ['limit/list', 'limit/changes']) await desk.get(cashier, path);
  const brought = { asset: 'USDT', amount: '1000', evidence: 'FT-2026-0001', note: 'Share capital' };
  const { id: capital } = await desk.post(cashier, 'capital/propose', brought);
  await desk.post(approver, 'capital/decide', { id: capital, verdict: 'agree' });
  await desk.get(cashier, 'capital/changes');
}
