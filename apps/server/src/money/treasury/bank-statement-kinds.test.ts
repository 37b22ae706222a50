import type { StatementChoice } from '@fairtick/protocol/office';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import type { Asset } from '../../platform/assets.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { statementSight } from './bank-statement-work.ts';

/** What a cashier's file is read as, by the kinds of files that banks and wallets give. */
const USD = { id: 3, code: 'USD', scale: 2 } as Asset;

const sightOf = (content: string | Uint8Array, choice: StatementChoice = {}) =>
  statementSight({ file: Buffer.from(content as string).toString('base64'), ...choice }, USD);

/** `250.00 FT1`, with `?` before a line in question, and the reasons of rows that are left out; or the fault. */
function read(content: string | Uint8Array, choice?: StatementChoice): string[] {
  const { items, left, fault } = sightOf(content, choice);
  if (fault) return [`${fault.column} in line ${fault.line}`];
  return [
    ...items.map((one) => `${one.isUnclear ? '? ' : ''}${one.amount} ${one.reference}`),
    ...left.map(({ line, reason }) => `${line} ${reason}`),
  ];
}

const lines = (...texts: string[]) => texts.join('\n');

describe('a statement’s currency', () => {
  test.each([
    [
      'in a column',
      lines(
        'Date,Currency,Amount,Reference',
        '2026-11-26,USD,250.00,FT1',
        '2026-11-26,HKD,7800.00,FT2',
        '2026-11-26,日元,15000,FT3',
      ),
      ['250.00 FT1', '3 currency', '4 currency'],
    ],
    [
      'in a column with a name of the bank’s own',
      lines('Date,Konto,Amount,Reference', '2026-11-26,USD,250.00,FT1', '2026-11-26,HK$,7800.00,FT2'),
      ['250.00 FT1', '3 currency'],
    ],
    [
      'beside the amount',
      lines(
        'Date,Amount,Reference',
        ...[
          'USD 250.00',
          '"HKD 7,800.00"',
          '"¥15,000.00"',
          '99.00 TWD',
          '港币100',
          'US$1.50',
          'Rs.250',
          '5.00 USDT',
          'USD 20.00 DR',
        ].map((amount, at) => `2026-11-26,${amount},FT${at}`),
      ),
      ['250.00 FT0', '1.50 FT5', '-20.00 FT8', ...[3, 4, 5, 6, 8, 9].map((line) => `${line} currency`)],
    ],
    [
      'in the titles of amounts',
      lines('Date,Credit (HKD),Debit (HKD),Reference', '2026-11-26,7800.00,,FT2', '2026-11-26,,35.00,fee'),
      ['2 currency', '3 currency'],
    ],
    [
      'in the title of one of two amounts',
      lines('Date,Amount in EUR,Amount (USD),Reference', '2026-11-26,230.00,250.00,FT1'),
      ['250.00 FT1'],
    ],
    [
      'in a column with its name in two languages',
      lines(
        '交易日期,币种,交易金额,摘要',
        '2026-11-26,美元（USD）,250.00,FT1',
        '2026-11-26,港币（HKD）,7800.00,FT2',
      ),
      ['250.00 FT1', '3 currency'],
    ],
    [
      'in the name of the account',
      lines('HKD Savings 123,,', 'Date,Amount,Reference', '2026-11-26,250.00,FT1'),
      ['3 currency'],
    ],
    [
      'before the header',
      lines('账号,1,币种,港币', '交易日期,贷方金额,借方金额,摘要', '2026-11-26,250.00,,FT1'),
      ['3 currency'],
    ],
  ])('%s that is another leaves the row out', (_where, content, expected) => {
    expect(read(content)).toEqual(expected);
  });
});

describe('a column that changes what a row means', () => {
  const HEAD = 'Date,Amount,Reference,';
  const rows = (...ends: string[]) => ends.map((end, at) => `2026-11-26,${at + 1}.00,FT${at + 1},${end}`);
  test.each<[string, string, string[]]>([
    [
      'directions',
      lines('Date,Transaction Type,Amount,Reference', '2026-11-26,Credit,1.00,a', '2026-11-26,DEBIT,2.00,b'),
      ['1.00 a', '-2.00 b'],
    ],
    [
      'directions under an unknown name',
      lines(`${HEAD}x`, ...rows('收入', '支出')),
      ['1.00 FT1', '-2.00 FT2'],
    ],
    [
      'states',
      lines(`${HEAD}Status`, ...rows('Completed', 'Pending', 'Reversed', 'Declined', 'Z9')),
      ['1.00 FT1', '? 5.00 FT5', '3 pending', '4 undone', '5 failed'],
    ],
    [
      'states under an unknown name',
      lines(`${HEAD}x`, ...rows('交易成功', '已全额退款', '处理中', '交易关闭')),
      ['1.00 FT1', '3 undone', '4 pending', '5 failed'],
    ],
    ['codes that we don’t know', lines(`${HEAD}x`, ...rows('PI', 'PO', 'PO')), ['meaning in line 1']],
    [
      'words of which we know some',
      lines(`${HEAD}x`, ...rows('Transfer', 'Refund', 'Card')),
      ['meaning in line 1'],
    ],
    ['a flag', lines(`${HEAD}Reversed`, ...rows('N', 'Y')), ['meaning in line 1']],
    ['a sum that went back', lines(`${HEAD}成功退款（元）`, ...rows('0.00', '2.00')), ['meaning in line 1']],
    [
      'nothing of the kind',
      lines(`${HEAD}Branch`, ...rows('Main St 00123', 'Main St 00123')),
      ['1.00 FT1', '2.00 FT2'],
    ],
    [
      'running balances of unsigned amounts',
      lines(
        'Date,Amount,Reference,Balance',
        '2026-11-26,1.00,a,11.00',
        '2026-11-26,2.00,b,9.00',
        '2026-11-26,3.00,c,12.00',
      ),
      ['? 1.00 a', '-2.00 b', '3.00 c'],
    ],
    [
      'a sign for what came in alone',
      lines('Date,Amount,Reference', '2026-11-26,1.00 CR,a', '2026-11-26,2.00,b'),
      ['1.00 a', '? 2.00 b'],
    ],
    [
      'balances without a movement',
      lines(
        'Date,Credit,Debit,Balance,Reference',
        '2026-11-01,,,5.00,Balance brought forward',
        '2026-11-26,1.00,,6.00,a',
      ),
      ['1.00 a', '2 note'],
    ],
    [
      'words that contradict the sign',
      lines('Date,Amount,Type,Reference', '2026-11-26,1.00,Credit,a', '2026-11-26,-2.00,Credit,b'),
      ['1.00 a', '? -2.00 b'],
    ],
    [
      'a wallet’s own words',
      lines(
        '账单明细,,,',
        '交易时间,交易类型,交易对方,商品,收/支,金额,支付方式,当前状态,备注',
        '2026-11-26 10:01:02,转账,王大明,转账,收入,$250.00,零钱,已存入零钱,FT1',
        '2026-11-26 10:05:00,商户消费,小店,茶,支出,$35.00,零钱,支付成功,/',
        '2026-11-26 10:06:00,零钱提现,银行,提现,/,$35.00,银行,提现已到账,/',
      ),
      ['250.00 FT1', '-35.00 /', '5 neutral'],
    ],
  ])('with %s', (_what, content, expected) => expect(read(content)).toEqual(expected));

  test('is shown with its values, and read as staff choose', () => {
    const content = lines(`${HEAD}x`, ...rows('PI', 'PO'));
    expect(sightOf(content).unused).toEqual([{ column: 3, isAsked: true, values: ['PI', 'PO'] }]);
    const named = 'date:0,amount:1,reference:2';
    expect(read(content, { columns: named })).toEqual(['meaning in line 1']);
    expect(read(content, { columns: `${named},ignore:3` })).toEqual(['1.00 FT1', '2.00 FT2']);
    expect(read(content, { columns: `${named},direction:3` })).toEqual(['? 1.00 FT1', '? 2.00 FT2']);
  });

  test('names its row by the bank’s number, or a balance that runs', () => {
    const marks = (content: string) => sightOf(content).all.marks;
    const head = 'Date,Amount,Reference,Balance,Transaction ID';
    expect(marks(lines(head, '2026-11-26,1.00,a,11.00,T0001', '2026-11-26,2.00,b,13.00,T0002'))).toEqual([
      'T0001',
      'T0002',
    ]);
    expect(marks(lines(head, '2026-11-26,1.00,a,11.00,1', '2026-11-26,2.00,b,13.00,2'))).toEqual([
      '= 11.00',
      '= 13.00',
    ]);
    expect(marks(lines(head, '2026-11-26,1.00,a,90.00,', '2026-11-26,2.00,b,90.00,'))).toEqual([null, null]);
  });
});

const NS = 'xmlns:n="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"';
const entry = (amount: string, inside: string, currency = 'USD') =>
  `<n:Ntry><n:Amt Ccy="${currency}">${amount}</n:Amt>${inside}<n:BookgDt><n:Dt>2026-11-26</n:Dt></n:BookgDt></n:Ntry>`;
const part = (amount: string, reference: string) =>
  `<n:TxDtls><n:Amt Ccy="USD">${amount}</n:Amt><n:RmtInf><n:Ustrd>${reference}</n:Ustrd></n:RmtInf></n:TxDtls>`;
const said = (direction: string, state = 'BOOK') =>
  `<n:CdtDbtInd>${direction}</n:CdtDbtInd><n:Sts><n:Cd>${state}</n:Cd></n:Sts>`;
const CAMT = `<?xml version="1.0"?><n:Document ${NS}><n:BkToCstmrStmt><n:Stmt>${[
  entry(
    '250.00',
    `${said('CRDT')}<n:AcctSvcrRef>B0042</n:AcctSvcrRef><n:NtryDtls>${part('250.00', 'FT1 deposit')}</n:NtryDtls>`,
  ),
  entry('35.00', `${said('DBIT')}<n:AddtlNtryInf>fee</n:AddtlNtryInf>`),
  entry('3.00', `${said('CRDT')}<n:NtryDtls>${part('1.00', 'FT2')}${part('2.00', 'FT3')}</n:NtryDtls>`),
  entry(
    '9.00',
    `${said('CRDT')}<n:AddtlNtryInf>all</n:AddtlNtryInf><n:NtryDtls>${part('1.00', 'FT4')}${part('2.00', 'FT5')}</n:NtryDtls>`,
  ),
  entry('7.00', said('CRDT', 'PDNG')),
  entry('7.00', `${said('CRDT')}<n:RvslInd>true</n:RvslInd>`),
  entry('7.00', said('CRDT'), 'HKD'),
].join('')}</n:Stmt></n:BkToCstmrStmt></n:Document>`;

const MT940 = lines(
  '{1:F01TESTHKHHAXXX0000000000}{2:I940TESTHKHHXXXXN}{4:',
  ':20:A',
  ':60F:C261231USD1000,00',
  ':61:2612310101C250,00NTRFNONREF//B0042',
  ':86:166?20EREF+X?21SVWZ+FT1 dep?22osit?32WONG TAI ?33MAN',
  ':61:261126D35,NCHGNONREF',
  ':86:monthly fee',
  ':61:261126RC12,00NTRFNONREF',
  ':62F:C261126USD1,',
  ':86:the statement’s own text',
  '-}{4:',
  ':20:B',
  ':60F:C261126HKD1000,00',
  ':61:261126C7800,00NTRFFT9',
  '-}',
);

/** A workbook of one sheet, with the given cells of each row. */
function workbook(...rows: string[][]): Uint8Array {
  const cells = (row: string[]) =>
    row
      .map((cell) => (cell.startsWith('<') ? cell : `<c t="inlineStr"><is><t>${cell}</t></is></c>`))
      .join('');
  const parts = {
    'xl/workbook.xml':
      '<workbook xmlns:r="r"><sheets><sheet name="a" r:id="rId7"/><sheet name="b" r:id="rId1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId7" Target="/xl/worksheets/first.xml"/></Relationships>',
    'xl/styles.xml':
      '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[$HK$-C04]#,##0.00"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>',
    'xl/sharedStrings.xml':
      '<sst><si><r><t>Wong </t></r><r><t>Tai Man</t></r><rPh><t>ウォン</t></rPh></si></sst>',
    'xl/worksheets/sheet1.xml': '<worksheet/>',
    'xl/worksheets/first.xml': `<worksheet><sheetData>${rows.map((row) => `<row>${cells(row)}</row>`).join('')}</sheetData></worksheet>`,
  };
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
}

describe('a bank’s file that is no CSV', () => {
  test('camt.053 is read by its entries, and by the payments of an entry that add up', () => {
    expect(read(CAMT)).toEqual([
      ...['250.00 FT1 deposit', '-35.00 fee', '1.00 FT2', '2.00 FT3', '9.00 all'],
      ...['6 pending', '7 undone', '8 currency'],
    ]);
    expect([sightOf(CAMT).encoding, sightOf(CAMT).all.marks[0]]).toEqual(['camt.053', 'B0042']);
  });

  test('MT940 is read with its explanations and the currency of each statement', () => {
    expect(read(MT940)).toEqual(['250.00 FT1 deposit', '-35.00 monthly fee', '3 undone', '4 currency']);
    expect(sightOf(MT940).items[0]).toMatchObject({ bookedOn: '2027-01-01', counterparty: 'WONG TAI MAN' });
  });

  test('XLSX is read from its first sheet, with days and currencies that only formats show', () => {
    const content = workbook(
      ['Date', 'Amount', 'Reference', 'Counterparty'],
      ['<c s="1"><v>46352</v></c>', '<c><v>1234.5599999999999</v></c>', 'FT1', '<c t="s"><v>0</v></c>'],
      ['<c s="1"><v>46352</v></c>', '<c s="2"><v>7800</v></c>', 'FT2', 'x'],
    );
    expect(read(content)).toEqual(['1234.56 FT1', '3 currency']);
    expect(sightOf(content).items[0]).toMatchObject({ bookedOn: '2026-11-26', counterparty: 'Wong Tai Man' });
  });

  const bomb = () => zipSync({ 'xl/workbook.xml': new Uint8Array(30_000_000) });
  test.each<[string, () => string | Uint8Array]>([
    ['OFX', () => 'OFXHEADER:100\nDATA:OFXSGML\n<OFX>'],
    ['OFX', () => '<?xml version="1.0"?>\n<?OFX OFXHEADER="200"?><OFX>'],
    ['QIF', () => '!Type:Bank\nD11/26/2026\nT250.00\n^'],
    ['HTML', () => '<html><table><tr><td>交易日期</td></tr></table></html>'],
    ['HTML', () => '\n<TABLE border=1><tr><td>1</td></tr></TABLE>'],
    ['XML Spreadsheet 2003', () => '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook>'],
    ['XLS (Excel 97–2003)', () => Buffer.from('d0cf11e0a1b11ae1', 'hex')],
    ['PDF', () => '%PDF-1.7'],
    ['ZIP', () => zipSync({ 'a.csv': strToU8('date,amount') })],
    ['ZIP', bomb],
    ['JSON', () => '[{"a": 1}]'],
  ])('%s is named', (form, content) => {
    const refusal = { code: 'STATEMENT_FORM', parameters: { form } };
    expect(() => read(content())).toThrow(expect.objectContaining(refusal));
  });

  test('a file that is cut is refused', () => {
    expect(() => read(CAMT.slice(0, -20))).toThrow(RefusalError);
  });

  test('XML that is made to break its reader is refused', () => {
    const deep = CAMT.replace('FT1 deposit', '<a>'.repeat(100_000));
    expect(() => read(deep)).toThrow(RefusalError);
  });
});
