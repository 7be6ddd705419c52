; Each pattern captures a whole definition under its kind, and under @name what it is called.
; @import is the source of an import. What is bound to a name at the top of a file is a variable, unless it is a function.

(class_declaration name: (identifier) @name) @class
(class name: (identifier) @name) @class
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @method
(field_definition
  property: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @method
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))
(program
  (expression_statement
    (assignment_expression
      left: (member_expression property: (property_identifier) @name)
      right: [(arrow_function) (function_expression) (generator_function)]) @function)
  (#not-eq? @name "exports"))
(program
  (expression_statement
    (assignment_expression
      right: (object
        (pair
          key: (property_identifier) @name
          value: [(arrow_function) (function_expression) (generator_function)]) @function))))

(import_statement source: (string (string_fragment) @import))
(export_statement source: (string (string_fragment) @import))
(call_expression
  function: [(identifier) (import)] @_called
  arguments: (arguments . (string (string_fragment) @import))
  (#any-of? @_called "require" "import"))
