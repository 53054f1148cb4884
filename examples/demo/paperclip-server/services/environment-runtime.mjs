// @ts-check
/** Where Paperclip's server has its runtime. The preload finds the factory here, and with it the database of the leases. */
export { environmentRuntimeService } from '../../runtime.mjs';
