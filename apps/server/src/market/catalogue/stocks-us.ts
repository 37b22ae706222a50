import type { CatalogueProduct } from './catalogue-product.ts';
import { US, US_TECH } from './drivers.ts';
import { NEW_YORK } from './schedules.ts';
import { type Listing, stocks } from './stock.ts';

const listed = (group: string, market: Listing['market']): Listing => ({
  group,
  market,
  schedule: NEW_YORK,
  decimals: 2,
});

const TECH = stocks(listed('stock-us-tech', US_TECH), [
  ['AAPL', ['苹果', '蘋果', 'Apple'], 278.4, 0.27, 0.95],
  ['MSFT', ['微软', '微軟', 'Microsoft'], 486.2, 0.24, 0.9],
  ['NVDA', ['英伟达', '輝達', 'NVIDIA'], 181.5, 0.42, 1.7],
  ['GOOGL', ['谷歌', 'Google', 'Alphabet'], 318.1, 0.31, 1.05],
  ['AMZN', ['亚马逊', '亞馬遜', 'Amazon'], 230.2, 0.33, 1.2],
  ['META', ['Meta', 'Meta', 'Meta Platforms'], 646.8, 0.35, 1.2],
  ['TSLA', ['特斯拉', '特斯拉', 'Tesla'], 431.6, 0.55, 1.8],
  ['AVGO', ['博通', '博通', 'Broadcom'], 392.3, 0.47, 1.6],
  ['ORCL', ['甲骨文', '甲骨文', 'Oracle'], 208.7, 0.48, 1.3],
  ['AMD', ['超威半导体', '超微', 'AMD'], 217.5, 0.52, 1.8],
  ['INTC', ['英特尔', '英特爾', 'Intel'], 40.6, 0.52, 1.4],
  ['QCOM', ['高通', '高通', 'Qualcomm'], 169.4, 0.36, 1.2],
  ['NFLX', ['奈飞', '網飛', 'Netflix'], 107.3, 0.34, 0.9],
  ['ADBE', ['奥多比', '奧多比', 'Adobe'], 323.5, 0.34, 0.9],
  ['CRM', ['赛富时', '賽富時', 'Salesforce'], 238.9, 0.35, 1],
  ['CSCO', ['思科', '思科', 'Cisco'], 77.4, 0.25, 0.75],
  ['IBM', ['IBM', 'IBM', 'IBM'], 307.2, 0.28, 0.6],
  ['MU', ['美光科技', '美光', 'Micron'], 238.6, 0.52, 1.7],
  ['PLTR', ['Palantir', 'Palantir', 'Palantir'], 169.8, 0.6, 1.8],
  ['UBER', ['优步', '優步', 'Uber'], 88.1, 0.36, 1],
  ['TSM', ['台积电', '台積電', 'TSMC'], 291.3, 0.37, 1.4],
  ['ARM', ['Arm', '安謀', 'Arm Holdings'], 138.2, 0.55, 1.8],
  ['COIN', ['Coinbase', 'Coinbase', 'Coinbase'], 272.6, 0.65, 1.9],
]);

const CHINESE = stocks(listed('stock-china', US), [
  ['BABA', ['阿里巴巴', '阿里巴巴', 'Alibaba ADR'], 157.4, 0.42, 0.8],
  ['PDD', ['拼多多', '拼多多', 'PDD Holdings'], 116.8, 0.42, 0.7],
]);

const FINANCE = stocks(listed('stock-us-finance', US), [
  ['JPM', ['摩根大通', '摩根大通', 'JPMorgan Chase'], 312.6, 0.24, 1.1],
  ['BAC', ['美国银行', '美國銀行', 'Bank of America'], 53.6, 0.26, 1.15],
  ['GS', ['高盛', '高盛', 'Goldman Sachs'], 824.1, 0.28, 1.3],
  ['MS', ['摩根士丹利', '摩根士丹利', 'Morgan Stanley'], 169.3, 0.28, 1.25],
  ['WFC', ['富国银行', '富國銀行', 'Wells Fargo'], 85.8, 0.27, 1.1],
  ['C', ['花旗集团', '花旗集團', 'Citigroup'], 103.4, 0.28, 1.2],
  ['V', ['维萨', 'Visa', 'Visa'], 334.2, 0.21, 0.85],
  ['MA', ['万事达', '萬事達卡', 'Mastercard'], 549.7, 0.22, 0.9],
  ['PYPL', ['贝宝', 'PayPal', 'PayPal'], 62.4, 0.37, 1.3],
]);

const HEALTH = stocks(listed('stock-us-health', US), [
  ['JNJ', ['强生', '嬌生', 'Johnson & Johnson'], 206.4, 0.18, 0.4],
  ['PFE', ['辉瑞', '輝瑞', 'Pfizer'], 25.7, 0.24, 0.5],
  ['LLY', ['礼来', '禮來', 'Eli Lilly'], 1064, 0.34, 0.6],
  ['MRK', ['默沙东', '默克', 'Merck'], 103.9, 0.26, 0.45],
  ['UNH', ['联合健康', '聯合健康', 'UnitedHealth'], 329.8, 0.36, 0.5],
]);

const CONSUMER = stocks(listed('stock-us-consumer', US), [
  ['WMT', ['沃尔玛', '沃爾瑪', 'Walmart'], 111.2, 0.22, 0.65],
  ['KO', ['可口可乐', '可口可樂', 'Coca-Cola'], 72.3, 0.17, 0.4],
  ['PEP', ['百事', '百事', 'PepsiCo'], 147.6, 0.2, 0.4],
  ['MCD', ['麦当劳', '麥當勞', "McDonald's"], 309.5, 0.19, 0.5],
  ['NKE', ['耐克', '耐吉', 'Nike'], 64.9, 0.36, 1.1],
  ['SBUX', ['星巴克', '星巴克', 'Starbucks'], 86.3, 0.31, 0.9],
  ['COST', ['开市客', '好市多', 'Costco'], 908.7, 0.22, 0.8],
  ['PG', ['宝洁', '寶僑', 'Procter & Gamble'], 147.9, 0.18, 0.4],
  ['DIS', ['迪士尼', '迪士尼', 'Walt Disney'], 104.8, 0.28, 1.1],
]);

const INDUSTRY = stocks(listed('stock-us-industry', US), [
  ['XOM', ['埃克森美孚', '艾克森美孚', 'Exxon Mobil'], 116.4, 0.24, 0.7],
  ['CVX', ['雪佛龙', '雪佛龍', 'Chevron'], 150.9, 0.24, 0.7],
  ['BA', ['波音', '波音', 'Boeing'], 189.7, 0.36, 1.2],
  ['CAT', ['卡特彼勒', '開拓重工', 'Caterpillar'], 578.2, 0.32, 1.25],
  ['F', ['福特汽车', '福特汽車', 'Ford Motor'], 13.24, 0.34, 1.1],
]);

export const US_STOCKS: readonly CatalogueProduct[] = [
  ...TECH,
  ...CHINESE,
  ...FINANCE,
  ...HEALTH,
  ...CONSUMER,
  ...INDUSTRY,
];
