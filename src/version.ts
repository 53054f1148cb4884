/** Name and version of the instrumentation scope. A test keeps both equal to package.json. */
export const PACKAGE_NAME = 'opentelemetry-instrumentation-paperclip';
export const PACKAGE_VERSION = '0.1.0';
