const ADDRESS = /https?:\/\/\S+\.js/;

/**
 * Wraps an import so that it can be called again after it failed. The browser remembers a failed import for as long as
 * the page lives, so the next call uses another address of the same file. Browsers that do not name the file in the
 * error need a reload.
 */
export function retryImport<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let address: string | undefined;
  let failures = 0;
  return async () => {
    try {
      if (address === undefined) return await load();
      return (await import(/* @vite-ignore */ `${address}?retry=${failures}`)) as Module;
    } catch (thrown) {
      failures += 1;
      address ??= ADDRESS.exec(String(thrown))?.[0];
      throw thrown;
    }
  };
}
