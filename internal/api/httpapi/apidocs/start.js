// Starts the API browser. The Authorize control comes from the document's
// security scheme; the key it is given stays in this page's memory.
window.ui = SwaggerUIBundle({
  url: '/api-docs/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  persistAuthorization: false,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
})
