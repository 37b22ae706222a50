import type { Anvil } from '../chains/anvil.ts';
import { addressOf, signedFile } from '../chains/paying.ts';
import type { PayingHouse } from '../processes/paying-house.ts';
import { seen } from '../waiting/until.ts';
import { day, type OfficeDesk } from './office-desk.ts';

const HOLDER = 'Mohammed Karim Al-Rasheed';
/** The account from which a test chain's money comes. */
const PAYER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const CHAIN = { chain: 'ethereum', network: 'ERC20' } as const;

/** A withdrawal to a bank, from the deposit that pays for it to the bank's statement. */
export async function passBankFile(desk: OfficeDesk): Promise<void> {
  const who = 'cashier_1';
  const { id: channelId } = await channelOf(desk, 'bank');
  const account = { kind: 'account', country: 'DE', cardNumber: 'DE89370400440532013000', bank: 'Deutsche' };
  await desk.send('user/setBank', { ...account, holder: HOLDER });
  const deposit = await desk.send('recharge/submit', { channelId, amount: '200' }, ['proof']);
  await desk.post(who, 'deposit/find', { id: deposit.id, amount: '200', evidence: 'transfer 1' });
  await desk.approve(await desk.withdrawal('USD', '100'));
  const { id } = await desk.post(who, 'bankFile/take', { id: channelId });
  const paid = await desk.get(who, 'bankFile/file', { id });
  const statement = Buffer.from(debitOf(paid)).toString('base64');
  await desk.post(who, 'statement/import', { asset: 'USD', file: statement });
  const { booked } = await desk.post(who, 'bankFile/book', { id });
  const [file] = (await desk.get('auditor_1', 'bankFile/list')).items;
  if (booked !== 1 || file.paid !== 1) throw new Error(`a bank file: ${JSON.stringify(file)}`);
}

/** A bank's statement (camt.053) with the one payment of a file. */
function debitOf(file: string): string {
  const of = (tag: string) => new RegExp(`<${tag}[^>]*>([^<]*)<`).exec(file)?.[1];
  const entry = `<Amt Ccy="USD">${of('InstdAmt')}</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
    <BookgDt><Dt>${day(0)}</Dt></BookgDt><AcctSvcrRef>B1</AcctSvcrRef>
    <NtryDtls><TxDtls><Refs><EndToEndId>${of('EndToEndId')}</EndToEndId></Refs></TxDtls></NtryDtls>`;
  return `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
    <Stmt><Ntry>${entry}</Ntry></Stmt></BkToCstmrStmt></Document>`;
}

/** A withdrawal on a chain, whose transaction is replaced by a faster one before a block has it. */
export async function passPayouts(desk: OfficeDesk, chain: Anvil): Promise<void> {
  const who = 'cashier_1';
  const to = addressOf(1);
  await desk.send('user/setAddress', { USDT: to });
  await desk.approve(await desk.withdrawal('USDT', '50'));
  const isReady = async () => (await desk.get(who, 'payout/chains'))[0].isReady;
  await seen(isReady, { everyMs: 200, what: 'a nonce of the house' });
  const { id: first } = await desk.post(who, 'payout/prepare', { chain: CHAIN.chain });
  const payout = async (id: string) => (await desk.get('approver_1', 'payout/detail', { id })).outputs[0];
  const isIn = (id: string, state: string) => async () => (await payout(id)).state === state;
  const sign = async (id: string) => {
    const { content } = await desk.get('approver_1', 'payout/detail', { id });
    await desk.post('approver_1', 'payout/decide', { id, content, verdict: 'agree' });
    const unsigned = JSON.parse(await desk.get(who, 'payout/file', { id }));
    await desk.post(who, 'payout/sign', { id, file: await signedFile(unsigned) });
  };
  await sign(first);
  await seen(isIn(first, 'sent'), { everyMs: 200, what: 'a payout that is sent' });
  const { id: faster } = await desk.post(who, 'payout/replace', { id: first, how: 'faster' });
  await sign(faster);
  // The chain has no other transaction until the replacement is there.
  await seen(
    async () => {
      await chain.mine();
      return isIn(faster, 'paid')();
    },
    { everyMs: 500, what: 'a payout that is paid' },
  );
  await desk.get('auditor_1', 'payout/list');
  const { amount } = await payout(faster);
  if ((await chain.balanceOf(to)) !== BigInt(amount) * 10n ** 6n) throw new Error(`${to} did not get it`);
}

/** A list that has the holder of the customer's account, and who pays to their address on the chain. */
export async function passScreening(desk: OfficeDesk, house: PayingHouse): Promise<void> {
  await house.loadList(`kind,reference,text\nname,7,${HOLDER}\naddress,8,${PAYER}\n`);
  const { address } = await channelOf(desk, CHAIN.network);
  await house.chain.pay(address, 25_000_000n);
  const isHeld = async () => {
    await house.chain.mine();
    return (await desk.get('cashier_1', 'deposit/onChain')).items.length > 0;
  };
  await seen(isHeld, { everyMs: 500, what: 'a payment that is held' });
  const hits = await seen(
    async () => {
      const { items } = await desk.get('auditor_1', 'screening/list');
      return items.length === 2 && items;
    },
    { everyMs: 500, what: 'two matches with the list' },
  );
  for (const { id } of hits) {
    const proposed = { id, verdict: 'clear', note: 'Born in another year' };
    const proposal = await desk.post('verification_1', 'screening/propose', proposed);
    await desk.post('approver_1', 'screening/decide', { id: proposal.id, verdict: 'agree' });
  }
}

const channelOf = async (desk: OfficeDesk, network: string) =>
  (await desk.read('recharge/channels')).find((one: { network: string }) => one.network === network);
