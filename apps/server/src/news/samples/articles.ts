import type { Language, NewsCategory } from '@fairtick/protocol';

export interface SampleArticle {
  readonly category: NewsCategory;
  readonly cover: string | null;
  readonly hoursAgo: number;
  readonly texts: Readonly<Record<Language, { title: string; summary: string; body: string }>>;
}

/** Oldest first. They make true statements about the product and none about the world. */
export const ARTICLES: readonly SampleArticle[] = [
  {
    category: 'guide',
    cover: 'even',
    hoursAgo: 98,
    texts: {
      zh: {
        title: '保本胜率是什么，为什么比五成高',
        summary: '赔付率低于 100%，所以猜对一半是不够的。差多少，一行算式就能看清。',
        body: `一笔订单盈利时，您得到投入乘以赔付率；亏损时，您失去全部投入。因为赔付率低于 100%，猜对一半会亏钱。

## 一行算式

保本胜率 = 1 ÷ (1 + 赔付率)

| 赔付率 | 保本胜率 | 平台期望收益率 |
|---|---|---|
| 80% | 55.6% | 10.0% |
| 85% | 54.1% | 7.5% |
| 93% | 51.8% | 3.5% |

平台期望收益率是每投入 100，长期平均留在平台的部分，按猜对一半计算。

## 在哪里看

下单面板在赔付率旁边写着这两个数字。**它们不会因为您是谁而不同**：所有客户用同一张表。`,
      },
      tw: {
        title: '保本勝率是什麼，為什麼比五成高',
        summary: '賠付率低於 100%，所以猜對一半是不夠的。差多少，一行算式就能看清。',
        body: `一筆訂單獲利時，您得到投入乘以賠付率；虧損時，您失去全部投入。因為賠付率低於 100%，猜對一半會虧錢。

## 一行算式

保本勝率 = 1 ÷ (1 + 賠付率)

| 賠付率 | 保本勝率 | 平台期望收益率 |
|---|---|---|
| 80% | 55.6% | 10.0% |
| 85% | 54.1% | 7.5% |
| 93% | 51.8% | 3.5% |

平台期望收益率是每投入 100，長期平均留在平台的部分，按猜對一半計算。

## 在哪裡看

下單面板在賠付率旁邊寫著這兩個數字。**它們不會因為您是誰而不同**：所有客戶用同一張表。`,
      },
      en: {
        title: 'What is the break-even rate, and why is it above 50%?',
        summary:
          'Payout rates are below 100%, so being right half of the time is not enough. One formula shows by how much.',
        body: `When an order ends in profit, you receive your stake times the payout rate on top of your stake. When it ends in loss, you lose the whole stake. Because payout rates are below 100%, being right half of the time loses money.

## One formula

break-even rate = 1 ÷ (1 + payout rate)

| Payout rate | Break-even rate | House edge |
|---|---|---|
| 80% | 55.6% | 10.0% |
| 85% | 54.1% | 7.5% |
| 93% | 51.8% | 3.5% |

The house edge is what we keep of every 100 staked, on average over time, from someone who guesses.

## Where to find it

The ticket shows both figures next to the payout rate. **They are the same for everyone**: one table for all customers.`,
      },
    },
  },
  {
    category: 'guide',
    cover: 'life',
    hoursAgo: 75,
    texts: {
      zh: {
        title: '一笔订单如何开仓，又如何结算',
        summary: '受理、开仓、结算，三个时刻都写在公开日志里。谁都不能事后挑一个价格。',
        body: `从点下按钮到结果，只有三个时刻。

1. **受理**：我们签名确认您的条款，并写下当时日志的位置。
2. **开仓**：以您的应用在下单时写明的时刻的价格开仓。订单至少提前一秒写入日志，那时没有人知道价格是多少。
3. **结算**：以结算时间那一刻的价格结算。价格没有变动，投入原数退还。

> 规则写在日志里，先于价格。日志只能往后写，改一行，之后的每一行都会对不上。

盈利、亏损、退还，在界面上看起来是一样的：同样的字号，同样的位置。结果由数字说，不由颜色说。`,
      },
      tw: {
        title: '一筆訂單如何開倉，又如何結算',
        summary: '受理、開倉、結算，三個時刻都寫在公開日誌裡。誰都不能事後挑一個價格。',
        body: `從點下按鈕到結果，只有三個時刻。

1. **受理**：我們簽名確認您的條款，並寫下當時日誌的位置。
2. **開倉**：以您的應用程式在下單時寫明的時刻的價格開倉。訂單至少提前一秒寫入日誌，那時沒有人知道價格是多少。
3. **結算**：以結算時間那一刻的價格結算。價格沒有變動，投入原數退還。

> 規則寫在日誌裡，先於價格。日誌只能往後寫，改一行，之後的每一行都會對不上。

獲利、虧損、退還，在介面上看起來是一樣的：同樣的字級，同樣的位置。結果由數字說，不由顏色說。`,
      },
      en: {
        title: 'How an order opens, and how it settles',
        summary:
          'Acceptance, opening, settlement: all three moments are in the public log. Nobody can pick a price afterwards.',
        body: `From the tap to the result, there are three moments.

1. **Acceptance**: we sign your terms together with the log’s position at that moment.
2. **Opening**: at the price of the moment that your app named with the order, which is in the log at least a second before. Nobody knows that price yet.
3. **Settlement**: at the price of the settlement time. If the price has not moved, the whole stake is returned.

> The rules are in the log before the prices. The log only grows: if one line is changed, every line after it no longer matches.

Profit, loss and a returned stake look the same on the screen: same size, same place. Figures tell the result, not colours.`,
      },
    },
  },
  {
    category: 'rules',
    cover: 'log',
    hoursAgo: 50,
    texts: {
      zh: {
        title: '赔付率要变更时，您会先在日志里看到',
        summary: '变更由两个人决定，至少提前一小时写入日志，只影响之后的新订单。',
        body: `赔付率、限额和报价规则不是常数，但它们不会悄悄变。

- 一个人提出，**另一个人**批准。
- 批准之后写入公开日志，至少一小时之后才生效。
- 已成立的订单照原条款结算。

您随时可以在产品页的“规则”里查看现行规则，以及它从何时起有效。`,
      },
      tw: {
        title: '賠付率要變更時，您會先在日誌裡看到',
        summary: '變更由兩個人決定，至少提前一小時寫入日誌，只影響之後的新訂單。',
        body: `賠付率、限額和報價規則不是常數，但它們不會悄悄變。

- 一個人提出，**另一個人**核准。
- 核准之後寫入公開日誌，至少一小時之後才生效。
- 已成立的訂單照原條款結算。

您隨時可以在產品頁的「規則」裡查看現行規則，以及它從何時起有效。`,
      },
      en: {
        title: 'Payout rate changes are logged first',
        summary:
          'Two people decide, the change is logged at least one hour ahead, and only new orders are affected.',
        body: `Payout rates, limits and price rules can change, but never silently.

- One person proposes, **another** approves.
- The approved change is written to the public log and takes effect at least one hour later.
- Accepted orders keep their terms.

Open “Rules” on any product page to see the current rules and when they took effect.`,
      },
    },
  },
  {
    category: 'market',
    cover: 'cal',
    hoursAgo: 27,
    texts: {
      zh: {
        title: '下周市场日历：物价、就业与原油库存',
        summary: '一份示例日历，展示列表与正文的样子。日期和事件都是虚构的。',
        body: `这是示例内容：下面的事件都是虚构的，不要据此交易。

| 星期 | 事件 | 影响 |
|---|---|---|
| 二 | 物价指数 | 外汇 |
| 三 | 原油库存 | 能源 |
| 五 | 就业报告 | 外汇、指数 |

公布前后，各来源的报价可能相差更大。来源不足时我们不给价格，也不受理新订单。`,
      },
      tw: {
        title: '下週市場日曆：物價、就業與原油庫存',
        summary: '一份範例日曆，展示列表與內文的樣子。日期和事件都是虛構的。',
        body: `這是範例內容：下面的事件都是虛構的，請勿據此交易。

| 星期 | 事件 | 影響 |
|---|---|---|
| 二 | 物價指數 | 外匯 |
| 三 | 原油庫存 | 能源 |
| 五 | 就業報告 | 外匯、指數 |

公布前後，各來源的報價可能相差更大。來源不足時我們不給價格，也不受理新訂單。`,
      },
      en: {
        title: 'Next week’s calendar: prices, jobs and oil inventories',
        summary:
          'A sample calendar that shows what lists and articles look like. Dates and events are fictional.',
        body: `This is sample content: the events below are fictional. Do not trade on them.

| Day | Event | Affects |
|---|---|---|
| Tue | Price index | Currencies |
| Wed | Crude oil inventories | Energy |
| Fri | Jobs report | Currencies, indices |

Around a release, the sources’ quotes may differ more. With too few sources we show no price and accept no orders.`,
      },
    },
  },
  {
    category: 'notice',
    cover: null,
    hoursAgo: 4,
    texts: {
      zh: {
        title: '周日 04:00 起维护 20 分钟',
        summary: '示例公告：维护期间不接跨越维护时段的订单，已成立的订单照常结算。',
        body: `这是一则示例公告。

- 时间：周日 04:00 至 04:20（UTC）
- 期间：不接结算时间落在维护之后的新订单
- 不变：已成立的订单、余额与提现申请

若维护延长，我们会在这里更新，并保留旧的版本。`,
      },
      tw: {
        title: '週日 04:00 起維護 20 分鐘',
        summary: '範例公告：維護期間不接跨越維護時段的訂單，已成立的訂單照常結算。',
        body: `這是一則範例公告。

- 時間：週日 04:00 至 04:20（UTC）
- 期間：不接結算時間落在維護之後的新訂單
- 不變：已成立的訂單、餘額與出金申請

若維護延長，我們會在這裡更新，並保留舊的版本。`,
      },
      en: {
        title: 'Maintenance on Sunday, 04:00–04:20 UTC',
        summary:
          'Sample notice: no new orders that would settle during maintenance; accepted orders settle as usual.',
        body: `This is a sample notice.

- When: Sunday, 04:00 to 04:20 (UTC)
- During this time: no new orders that would settle after it starts
- Not affected: accepted orders, balances and withdrawal requests

If maintenance takes longer, we will update this notice; earlier versions remain available.`,
      },
    },
  },
];
