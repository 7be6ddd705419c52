; Each pattern captures a whole definition under its kind, and under @name what it is called.
; @import is a name that is used, @import.name one of a group; @import.file a file that is included.

(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @trait
(enum_declaration name: (name) @name) @enum
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name) @method
(namespace_definition name: (namespace_name) @name) @module
(const_element (name) @name) @constant
(function_call_expression
  function: (name) @_called
  arguments: (arguments . (argument (string (string_content) @name)))
  (#eq? @_called "define")) @constant

(namespace_use_clause (qualified_name) @import)
(namespace_use_declaration (namespace_name) @import body: (namespace_use_group (namespace_use_clause . (_) @import.name)))
(require_expression [(string (string_content) @import.file) (binary_expression (string (string_content) @import.file))])
(require_once_expression
  [(string (string_content) @import.file) (binary_expression (string (string_content) @import.file))])
(include_expression [(string (string_content) @import.file) (binary_expression (string (string_content) @import.file))])
(include_once_expression
  [(string (string_content) @import.file) (binary_expression (string (string_content) @import.file))])
