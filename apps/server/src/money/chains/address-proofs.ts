import { MerkleTree, toHex } from '@fairtick/proof';
import type { AddressProof } from '@fairtick/protocol';
import type { ChainSettings } from '../../config/chains-file.ts';
import type { LogReader } from '../../market/log/log-reader.ts';
import { readLoggedEntry } from '../../market/log/logged-entry.ts';
import { cached } from '../../platform/cached.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** About as often as the log gets a root. */
const FRESH_MS = 10_000;

interface Root {
  readonly root: Buffer;
  readonly entry_index: string;
}

/** Proofs that a customer's addresses are in the public log. One tree serves all customers. */
export class AddressProofs {
  readonly #db: Queryable;
  readonly #reader: LogReader;
  readonly #chains: readonly ChainSettings[];
  readonly #newest: () => Promise<{ root: Root; tree: MerkleTree } | null>;

  constructor({
    db,
    reader,
    chains,
  }: { db: Queryable; reader: LogReader; chains: readonly ChainSettings[] }) {
    this.#db = db;
    this.#reader = reader;
    this.#chains = chains;
    this.#newest = cached(FRESH_MS, () => this.#read());
  }

  async of(customerId: string): Promise<AddressProof[]> {
    const newest = await this.#newest();
    if (newest === null) return [];
    const { root, tree } = newest;
    const { rows } = await this.#db.query<{ chain: string; address: string; place: number; salt: Buffer }>(
      `select a.chain, a.address, l.place, l.salt from chain_customers c join chain_addresses a using (number)
       join address_leaves l using (chain, number) where c.customer_id = $1 and l.place < $2 order by l.place`,
      [customerId, tree.size],
    );
    if (rows.length === 0) return [];
    const logged = await readLoggedEntry({ db: this.#db, reader: this.#reader }, Number(root.entry_index));
    return rows.flatMap(({ chain, address, place, salt }): AddressProof[] => {
      const network = this.#chains.find((one) => one.chain === chain)?.network;
      if (network === undefined) return [];
      const leaf = { chain, network, address, customer: customerId, salt: salt.toString('hex'), place };
      const proof = tree.inclusionProof(place).map(toHex);
      return [{ ...leaf, size: tree.size, root: root.root.toString('hex'), proof, logged }];
    });
  }

  async #read(): Promise<{ root: Root; tree: MerkleTree } | null> {
    const { rows } = await this.#db.query<Root & { size: number }>(
      'select size, root, entry_index from address_roots where entry_index is not null order by size desc limit 1',
    );
    const [root] = rows;
    if (!root) return null;
    const leaves = await this.#db.query<{ hash: Buffer }>(
      'select hash from address_leaves where place < $1 order by place',
      [root.size],
    );
    return { root, tree: new MerkleTree(leaves.rows.map(({ hash }) => new Uint8Array(hash))) };
  }
}
