import type { Page } from 'playwright-core';

/** Changes what this device holds of an order, as somebody with the device could. */
export const tamper = (page: Page, id: string, change: 'acceptance' | 'orders'): Promise<void> =>
  page.evaluate(
    async ([number, what]) => {
      const settled = <T>(request: IDBRequest<T>) =>
        new Promise<T>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error);
        });
      const database = await settled(indexedDB.open('fairtick-held'));
      const store = database.transaction('orders', 'readwrite').objectStore('orders');
      const held = (await settled(store.getAll())).find((one) => String(one.number) === number);
      if (what === 'acceptance') held.acceptance.text = held.acceptance.text.replace('\nup\n', '\ndown\n');
      else held.logged.answer.index += 1;
      await settled(store.put(held));
      database.close();
    },
    [id, change] as const,
  );
